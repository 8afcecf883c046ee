import pg from 'pg';
import { type Client, Connection, type PacketWatcher } from './connection.js';

/** A connection for a cancellation has to come fast, or the statement ends at its own time limit before. */
const CANCEL_WITHIN_MS = 2_000;

/** The connections of one kind that a process has. */
export class ConnectionPool {
  private readonly pool: pg.Pool;
  private readonly connections = new WeakMap<pg.PoolClient, Connection>();

  constructor(
    private readonly options: pg.PoolConfig,
    /** Whoever wants to know what is sent. */
    readonly watchers = new Set<PacketWatcher>(),
  ) {
    this.pool = new pg.Pool({ ...options, pipeline: true });
    // A connection that breaks fails its statement, which tells of it, and is replaced by the next one.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  }

  async connect(): Promise<Connection> {
    const client = (await this.pool.connect()) as Client;
    const connection = this.connections.get(client) ?? new Connection(client, this.watchers);
    this.connections.set(client, connection);
    // The driver makes a new function each time it lends the client.
    connection.lend(client.release.bind(client));
    return connection;
  }

  get counts(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** Cancels on a connection of its own: those of the pool may all be busy with what is to be cancelled. */
  cancel(processId: number): Promise<void> {
    return this.control('select pg_cancel_backend($1)', processId);
  }

  terminate(processId: number): Promise<void> {
    return this.control('select pg_terminate_backend($1)', processId);
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  private async control(text: string, processId: number): Promise<void> {
    const { connectionString } = this.options;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CANCEL_WITHIN_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(text, [processId]);
    } catch {
      // The statement then ends at its own time limit.
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
