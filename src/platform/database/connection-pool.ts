import pg from 'pg';
import { shareOwnerOf } from '../../kernel/actor.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import { currentRequest, type RequestContext } from '../context/request-context.js';
import { markAsOfDatabase, PoolIsFull } from './database.errors.js';
import { type Client, Connection, type PacketWatcher } from './connection.js';

/**
 * The time limit for connecting in order to cancel. A statement that was not cancelled by then ends by its own time
 * limit.
 */
const CANCEL_WITHIN_MS = 2_000;

export interface ConnectionOptions extends pg.PoolConfig {
  /** Whether a pooler gives each transaction another connection of the server. */
  isPooled?: boolean;
  /** A statement that each connection sends when it is opened. */
  setUp?: string;
}

/**
 * A pool of connections with the same options. Requests share them by projects, so that one project with slow
 * statements leaves connections for the others. Jobs share slots instead.
 */
export class ConnectionPool {
  private readonly pool: pg.Pool;
  private readonly shares: FairSemaphore;
  private readonly connections = new WeakMap<pg.PoolClient, Connection>();

  constructor(
    private readonly options: ConnectionOptions,
    /** The observers of what is sent, for measurements. */
    readonly watchers = new Set<PacketWatcher>(),
  ) {
    this.shares = new FairSemaphore(options.max!);
    this.pool = new pg.Pool({ ...options, pipeline: true });
    // A broken connection fails its statement, which reports the error, and the next one gets a new connection.
    this.pool
      .on('error', () => undefined)
      .on('connect', (client) => {
        client.on('error', () => undefined);
        if (options.setUp !== undefined) client.query(options.setUp).catch(() => undefined);
      });
  }

  async connect(): Promise<Connection> {
    const request = currentRequest();
    // Before its key is checked, the project of a request is not known.
    if (!request?.actor) return this.borrow();
    const owner = shareOwnerOf(request.actor);
    if (!this.shares.tryAcquire(owner)) await this.waitForShare(owner, request);
    const giveBack = () => this.shares.release(owner);
    try {
      return await this.borrow(giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private async borrow(onRelease?: () => void): Promise<Connection> {
    const client = (await this.pool.connect().catch((error: unknown) => {
      markAsOfDatabase(error);
      throw error;
    })) as Client;
    const connection = this.connections.get(client) ?? new Connection(client, this.watchers, this.options.isPooled);
    this.connections.set(client, connection);
    // The driver makes a new release function each time it lends the client.
    const release = client.release.bind(client);
    connection.lend((isSpoiled) => {
      release(isSpoiled);
      onRelease?.();
    });
    return connection;
  }

  /** Waits as long as the pool lets a caller wait for a connection. */
  private async waitForShare(owner: string, request: RequestContext): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.shares.acquire(owner, (stop) => {
        timer = setTimeout(() => stop(new PoolIsFull()), this.options.connectionTimeoutMillis);
        return request.onAbort(stop);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  get counts(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount + this.shares.waiting };
  }

  /**
   * Cancels what a connection runs, by a request that needs no connection of the pool and no sign-in. A pooler passes
   * it on to the connection of the server.
   */
  cancel(cancelled: Connection): void {
    const { client } = cancelled;
    const { connection, host, port } = new pg.Client(this.options) as unknown as Client & pg.Client;
    const { stream } = connection;
    const { promise, resolve: end } = Promise.withResolvers<boolean>();
    cancelled.holdDuring(promise);
    let isLate = false;
    const cut = setTimeout(() => {
      isLate = true;
      stream.destroy();
    }, CANCEL_WITHIN_MS);
    // The server closes the connection when it has cancelled the statement.
    stream.once('close', () => {
      clearTimeout(cut);
      end(isLate);
    });
    // A statement that cannot be cancelled ends by its own time limit.
    connection.on('error', () => stream.destroy());
    connection.once('connect', () => connection.cancel(client.processID, client.secretKey));
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  }

  end(): Promise<void> {
    return this.pool.end();
  }
}
