import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import { WHICH_CLIENT } from './packets.js';

/** Kysely's, of which the ORM shows little. */
interface Transaction {
  readonly isCommitted: boolean;
  readonly isRolledBack: boolean;
  getExecutor(): { provideConnection<T>(use: (connection: Connection) => Promise<T>): Promise<T> };
}
interface Connection {
  executeQuery(statement: { sql: unknown; parameters: [] }): Promise<{ rows: PoolClient[] }>;
}

const clients = new WeakMap<Transaction, PoolClient>();

/**
 * The driver's client of a manager's transaction: it takes as many statements as are asked, where Kysely gives the
 * connection to one at a time. At once, but for the first time.
 */
export function clientOf(em: EntityManager): PoolClient | Promise<PoolClient> {
  const transaction = em.getTransactionContext<Transaction>();
  if (!transaction) throw new Error('Statements of a manager are for use inside its transaction');
  // Its client is somebody else's by now.
  if (transaction.isCommitted || transaction.isRolledBack) throw new Error('The transaction has ended');
  return clients.get(transaction) ?? meet(transaction);
}

async function meet(transaction: Transaction): Promise<PoolClient> {
  const { rows } = await transaction
    .getExecutor()
    .provideConnection((connection) => connection.executeQuery({ sql: WHICH_CLIENT, parameters: [] }));
  clients.set(transaction, rows[0]!);
  return rows[0]!;
}
