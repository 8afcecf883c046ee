import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type Transaction as KyselyTransaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import type { Connection } from './connection.js';
import type { ConnectionPool } from './connection-pool.js';

/**
 * Makes MikroORM use the service's own connections: the ORM asks the dialect in its `driverOptions` for a driver. The
 * ORM and `Transaction` send through the same `Connection`, in the order in which their statements are asked.
 */
export class PipeliningDialect extends PostgresDialect {
  constructor(private readonly pool: ConnectionPool) {
    super({ pool: () => Promise.reject(new Error('Connections are opened only by the driver of this service')) });
  }

  override createDriver(): Driver {
    return new PipeliningDriver(this.pool);
  }
}

/** Returns the connection of an entity manager's transaction. */
export async function connectionOf(em: EntityManager): Promise<Connection> {
  const transaction = em.getTransactionContext<KyselyTransaction<unknown>>();
  if (!transaction) throw new Error('There is no open transaction');
  return transaction.getExecutor().provideConnection(async (connection) => (connection as OrmConnection).connection);
}

class PipeliningDriver implements Driver {
  private readonly known = new WeakMap<Connection, OrmConnection>();

  constructor(private readonly pool: ConnectionPool) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.pool.connect();
    const known = this.known.get(connection) ?? new OrmConnection(connection, this.pool);
    this.known.set(connection, known);
    return known;
  }

  async beginTransaction({ connection }: OrmConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings;
    const isolation = isolationLevel ? ` isolation level ${isolationLevel}` : '';
    connection.begin(`begin${isolation}${accessMode ? ` ${accessMode}` : ''}`);
  }

  commitTransaction({ connection }: OrmConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction({ connection }: OrmConnection): Promise<void> {
    return connection.rollback();
  }

  async savepoint({ connection }: OrmConnection, name: string): Promise<void> {
    await connection.ask({ text: `savepoint ${pg.escapeIdentifier(name)}` });
  }

  rollbackToSavepoint({ connection }: OrmConnection, name: string): Promise<void> {
    return connection.rollbackTo(`rollback to ${pg.escapeIdentifier(name)}`);
  }

  async releaseSavepoint({ connection }: OrmConnection, name: string): Promise<void> {
    await connection.ask({ text: `release ${pg.escapeIdentifier(name)}` });
  }

  async releaseConnection({ connection }: OrmConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.pool.end();
  }
}

const { builtins } = pg.types;

/**
 * Times stay texts, because the ORM makes dates of them itself. The ORM expects the same for arrays of times, which no
 * entity has.
 */
const ormTypes = new pg.TypeOverrides();
for (const oid of [builtins.DATE, builtins.TIMESTAMP, builtins.TIMESTAMPTZ, builtins.INTERVAL]) {
  ormTypes.setTypeParser(oid, (text: string) => text);
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection as the ORM's query builder knows it. */
class OrmConnection implements DatabaseConnection {
  /** The query that is running. A cancellation must never hit another one. */
  private running: CompiledQuery | undefined;

  constructor(
    readonly connection: Connection,
    private readonly pool: ConnectionPool,
  ) {}

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.running = query;
    try {
      const { sql: text, parameters } = query;
      const { command, rowCount, rows } = await this.connection.ask<object>({
        text,
        values: [...parameters],
        types: ormTypes,
      });
      return { rows: rows as Row[], ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    } finally {
      this.running = undefined;
    }
  }

  async cancelQuery(): Promise<void> {
    if (this.running) this.pool.cancel(this.connection);
  }

  async killSession(): Promise<void> {
    if (this.running) this.pool.cancel(this.connection);
  }

  /** Entities are read in pages, because a cursor would occupy the connection for as long as its reader takes. */
  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Entities are not streamed; read them in pages');
  }
}
