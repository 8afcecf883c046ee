import { Injectable } from '@nestjs/common';
import { currentRequest } from '../context/request-context.js';
import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { ReadReplica } from './replica/read-replica.js';
import { openTransaction, refuseInTransaction } from './open-transaction.js';
import type { Statement } from './statement.js';
import { askOn, spoilsConnection } from './statements.js';

export type Ask = <Answer>(statement: Statement<Answer>) => Promise<Answer>;

/**
 * Reads without entities, directly through the driver, of what may be a moment old: a replica answers if there is one.
 * If the request ends before its statement, because its client left or its key was revoked, the statement is cancelled
 * in the database.
 */
@Injectable()
export class Reads {
  constructor(
    private readonly pool: ConnectionPool,
    private readonly replica: ReadReplica,
  ) {}

  async one<Answer>(statement: Statement<Answer>): Promise<Answer> {
    const open = openTransaction.getStore();
    if (open) return open.ask(statement);
    return this.anywhere((connection) => askOn(connection, statement));
  }

  /** Runs several statements that see the database as it was at one moment. */
  together<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    refuseInTransaction();
    return this.anywhere(async (connection) => {
      connection.begin('begin isolation level repeatable read read only');
      try {
        const result = await work((statement) => askOn(connection, statement));
        await connection.commit();
        return result;
      } catch (error) {
        if (!spoilsConnection(error)) await connection.rollback();
        throw error;
      }
    });
  }

  /** Runs the work on the replica or, if that may not answer, on the primary. */
  private anywhere<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.replica.orPrimary(
      currentRequest()?.actor,
      (pool, check) => this.onConnection(pool, (connection) => check(connection).then(() => work(connection))),
      () => this.onConnection(this.pool, work),
    );
  }

  private async onConnection<T>(pool: ConnectionPool, work: (connection: Connection) => Promise<T>): Promise<T> {
    const request = currentRequest();
    const connection = await pool.connect();
    const cancelNoMore = request?.onAbort(() => pool.cancel(connection));
    let isSpoiled = false;
    try {
      request?.throwIfAborted();
      return await work(connection);
    } catch (error) {
      isSpoiled = spoilsConnection(error);
      request?.throwIfAborted();
      throw error;
    } finally {
      cancelNoMore?.();
      connection.release(isSpoiled);
    }
  }
}
