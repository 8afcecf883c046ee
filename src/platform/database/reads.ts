import { Injectable } from '@nestjs/common';
import { currentRequest } from '../context/request-context.js';
import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { openTransaction, refuseInTransaction } from './open-transaction.js';
import type { Sql } from './sql.js';
import { rows, Statement } from './statement.js';
import { spoilsConnection } from './statements.js';
import { toSend } from './transaction.js';

export interface Ask {
  <Answer>(statement: Statement<Answer>): Promise<Answer>;
  /** For those who have SQL and not a statement. */
  <Row extends object>(query: Sql): Promise<Row[]>;
}

/**
 * Reading without entities, straight to the driver. What a request asks is cancelled in the database when the request
 * ends first: its client left, or its key was revoked.
 */
@Injectable()
export class Reads {
  constructor(private readonly pool: ConnectionPool) {}

  one<Answer>(statement: Statement<Answer>): Promise<Answer>;
  one<Row extends object>(query: Sql): Promise<Row[]>;
  one(asked: Statement<unknown> | Sql): Promise<unknown> {
    const open = openTransaction.getStore();
    if (open) return open.ask(toStatement(asked));
    return this.onConnection((connection) => ask(connection, toStatement(asked)));
  }

  /** Several statements that see the database as it was at one moment. */
  together<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    refuseInTransaction();
    return this.onConnection(async (connection) => {
      connection.begin('begin isolation level repeatable read read only');
      try {
        const result = await work(askOn(connection));
        await connection.commit();
        return result;
      } catch (error) {
        if (!spoilsConnection(error)) await connection.rollback();
        throw error;
      }
    });
  }

  private async onConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const request = currentRequest();
    const connection = await this.pool.connect();
    const cancelNoMore = request?.onAbort(() => void this.pool.cancel(connection.processId));
    let isClean = false;
    try {
      request?.throwIfAborted();
      const result = await work(connection);
      isClean = !request?.isAborted;
      return result;
    } catch (error) {
      request?.throwIfAborted();
      isClean = !spoilsConnection(error);
      throw error;
    } finally {
      cancelNoMore?.();
      // A cancellation may still be on its way: nobody else gets this connection.
      connection.release(!isClean);
    }
  }
}

function askOn(connection: Connection): Ask {
  function askHere<Answer>(statement: Statement<Answer>): Promise<Answer>;
  function askHere<Row extends object>(query: Sql): Promise<Row[]>;
  function askHere(asked: Statement<unknown> | Sql): Promise<unknown> {
    return ask(connection, toStatement(asked));
  }
  return askHere;
}

function toStatement(asked: Statement<unknown> | Sql): Statement<unknown> {
  return asked instanceof Statement ? asked : rows(asked);
}

async function ask(connection: Connection, { sql, read }: Statement<unknown>): Promise<unknown> {
  const { rows: found } = await connection.ask<object>(toSend(sql));
  return read(found);
}
