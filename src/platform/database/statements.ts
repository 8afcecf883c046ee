import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { isLostConnection } from './database.errors.js';
import { openTransaction } from './open-transaction.js';
import type { LateQuery } from './packets.js';
import type { Sql } from './sql.js';
import { clientOf } from './transaction-client.js';

/**
 * Single statements, straight to the driver, with its parameters (`$1`) and its types: arrays stay arrays, and times are
 * dates. Inside a transaction they are part of it: one that held its connection and waited for another of the same pool
 * would wait for ever, as soon as there are as many of them as connections.
 */
export class Statements {
  private pool: Promise<pg.Pool> | undefined;

  /** The pool is asked for with the first statement: before, there may be none. */
  constructor(
    private readonly openPool: () => Promise<pg.Pool>,
    private readonly joins: 'joins transactions' | 'stays apart' = 'joins transactions',
  ) {}

  run<Row extends object>(query: Sql): Promise<Row[]>;
  run<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  run<Row extends object>(query: Sql | string, values: unknown[] = []): Promise<Row[]> {
    return this.query<Row>(typeof query === 'string' ? { text: query, values } : query.toQuery());
  }

  /**
   * In the manager's transaction. The manager's own `execute` writes values into the text, which the server then reads
   * word by word: too slow for many rows, and without arrays.
   */
  async runIn<Row extends object>(em: EntityManager, query: Sql): Promise<Row[]> {
    return queryIn<Row>(em, query.toQuery());
  }

  /**
   * The same where nobody waits for the answer; who hears it has it when the transaction is committed. It goes with the
   * next statement of the transaction, at the latest with the commit, and that fails if this does.
   */
  async writeIn<Row extends object>(em: EntityManager, query: Sql, hear?: (rows: Row[]) => void): Promise<void> {
    const late: LateQuery = { ...query.toQuery(), isLate: true, ...(hear && { hear }) };
    await queryIn(em, late);
  }

  private async query<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    const open = this.joins === 'joins transactions' ? openTransaction.getStore() : undefined;
    if (open) return queryIn<Row>(open.em, query);
    this.pool ??= this.openPool();
    const connection = await (await this.pool).connect();
    let isLost = false;
    try {
      const { rows } = await connection.query<Row>({ ...query, types: pg.types });
      return rows;
    } catch (error) {
      isLost = spoilsConnection(error);
      throw error;
    } finally {
      // The pool's own way of asking gives up the connection, with all its plans, whatever went wrong.
      connection.release(isLost);
    }
  }
}

export async function queryIn<Row extends object>(em: EntityManager, query: pg.QueryConfig): Promise<Row[]> {
  const client = clientOf(em);
  // Waited for only where it is not known: who asks first is sent first.
  const { rows } = await (client instanceof Promise ? await client : client).query<Row>({ ...query, types: pg.types });
  return rows;
}

/** Or one of its plans: gone, or of a table that has changed. */
export function spoilsConnection(error: unknown): boolean {
  const { code } = error as { code?: string };
  return isLostConnection(error) || code === '26000' || code === '0A000';
}
