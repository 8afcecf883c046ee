import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../config/settings.js';
import { currentRequest } from '../context/request-context.js';
import { openTransaction, refuseInTransaction } from './open-transaction.js';
import type { Sql } from './sql.js';
import { queryIn, spoilsConnection } from './statements.js';

export type Ask = <Row extends object>(query: Sql) => Promise<Row[]>;

/** The driver knows it; its types do not. */
type Connection = pg.PoolClient & { processID: number };

/**
 * Reading without entities, straight to the driver. What a request asks is cancelled in the database when the request
 * ends first: its client left, or its key was revoked.
 */
@Injectable()
export class Reads {
  private pool: Promise<pg.Pool> | undefined;

  constructor(
    private readonly orm: MikroORM,
    private readonly settings: Settings,
  ) {}

  one<Row extends object>(query: Sql): Promise<Row[]> {
    const open = openTransaction.getStore();
    if (open) return queryIn<Row>(open.em, query.toQuery());
    return this.onConnection((connection) => ask<Row>(connection, query.toQuery()));
  }

  /** Several statements that see the database as it was at one moment. */
  together<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    refuseInTransaction();
    return this.onConnection(async (connection) => {
      await connection.query('begin isolation level repeatable read read only');
      try {
        const result = await work((query) => ask(connection, query.toQuery()));
        await connection.query('commit');
        return result;
      } catch (error) {
        if (!spoilsConnection(error)) await connection.query('rollback');
        throw error;
      }
    });
  }

  private async onConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const request = currentRequest();
    this.pool ??= this.orm.em.getDriver().getConnection().getNativeClient();
    const connection = (await (await this.pool).connect()) as Connection;
    const cancelNoMore = request?.onAbort(() => void this.cancel(connection.processID));
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

  /** On a connection of its own: those of the pool may all be busy with what is to be cancelled. */
  private async cancel(processId: number): Promise<void> {
    const client = new pg.Client({ connectionString: this.settings.DATABASE_URL, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select pg_cancel_backend($1)', [processId]);
    } catch {
      // The statement then ends at its own time limit.
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function ask<Row extends object>(connection: Connection, query: pg.QueryConfig): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...query, types: pg.types });
  return rows;
}
