import { isLostConnection } from './database.errors.js';
import type { Connection } from './connection.js';
import type { ConnectionPool } from './connection-pool.js';
import { openTransaction } from './open-transaction.js';
import type { Answers, Statement } from './statement.js';
import { toSend, type Transaction } from './transaction.js';

/**
 * Sends statements without the ORM, with the parameters of the driver (`$1`) and its types: arrays stay arrays, and
 * times are dates.
 *
 * Inside a transaction the statements are part of it. A transaction that waited for a second connection of the same
 * pool would deadlock as soon as there are as many such transactions as connections.
 */
export class Statements {
  constructor(
    private readonly pool: ConnectionPool,
    private readonly joins: 'joins transactions' | 'stays apart' = 'joins transactions',
  ) {}

  /** Sends a statement that a repository describes. */
  async ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    const open = this.openTransaction();
    if (open) return open.ask(statement);
    return this.onConnection((connection) => askOn(connection, statement));
  }

  /** Sends all statements in one packet, in the order of the list. Each is a transaction of its own. */
  async askAll<const Asked extends readonly Statement<unknown>[]>(statements: Asked): Promise<Answers<Asked>> {
    const open = this.openTransaction();
    if (open) return open.askAll(statements);
    return this.onConnection(async (connection) => {
      const sent = statements.map(({ sql }) => connection.ask(toSend(sql)));
      await Promise.allSettled(sent);
      const results = await Promise.all(sent);
      return results.map(({ rows }, at) => statements[at]!.read(rows)) as Answers<Asked>;
    });
  }

  private openTransaction(): Transaction | undefined {
    return this.joins === 'joins transactions' ? openTransaction.getStore() : undefined;
  }

  private async onConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.pool.connect();
    let isSpoiled = false;
    try {
      return await work(connection);
    } catch (error) {
      isSpoiled = spoilsConnection(error);
      throw error;
    } finally {
      // A connection whose statement failed is kept, with all its plans, unless it is spoiled.
      connection.release(isSpoiled);
    }
  }
}

/** Sends a statement on a connection that the caller has borrowed. */
export async function askOn<Answer>(connection: Connection, { sql, read }: Statement<Answer>): Promise<Answer> {
  const { rows } = await connection.ask(toSend(sql));
  return read(rows);
}

/**
 * Whether the connection is lost, or has a plan that cannot be used: it is missing (26000), or its table has changed
 * (0A000).
 */
export function spoilsConnection(error: unknown): boolean {
  const { code } = error as { code?: string };
  return isLostConnection(error) || code === '26000' || code === '0A000';
}
