import { isLostConnection } from './database.errors.js';
import type { Connection } from './connection.js';
import type { ConnectionPool } from './connection-pool.js';
import { openTransaction } from './open-transaction.js';
import type { Answers, Statement } from './statement.js';
import { toSend, type Transaction } from './transaction.js';

/**
 * Single statements, straight to the driver, with its parameters (`$1`) and its types: arrays stay arrays, and times are
 * dates. Inside a transaction they are part of it: one that held its connection and waited for another of the same pool
 * would wait for ever, as soon as there are as many of them as connections.
 */
export class Statements {
  constructor(
    private readonly pool: ConnectionPool,
    private readonly joins: 'joins transactions' | 'stays apart' = 'joins transactions',
  ) {}

  /** Asks for what a repository describes. */
  async ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    const open = this.openTransaction();
    if (open) return open.ask(statement);
    const { rows } = await this.onConnection((connection) => connection.ask(toSend(statement.sql)));
    return statement.read(rows);
  }

  /** Asks for all of them in one packet, in the order of the list; each is a transaction of its own. */
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
      // A connection that failed a statement is kept, with all its plans, unless it is spoiled.
      connection.release(isSpoiled);
    }
  }
}

/** Or one of its plans: gone, or of a table that has changed. */
export function spoilsConnection(error: unknown): boolean {
  const { code } = error as { code?: string };
  return isLostConnection(error) || code === '26000' || code === '0A000';
}
