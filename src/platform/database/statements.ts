import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { refuseInTransaction } from './open-transaction.js';
import type { Sql } from './sql.js';

/**
 * Single statements outside any request's manager and transaction: what is no part of a request's work, or outlives it.
 * Straight to the driver, with its parameters (`$1`) and its types: arrays stay arrays, and times are dates.
 */
export class Statements {
  private pool: Promise<pg.Pool> | undefined;

  /** The pool is asked for with the first statement: before, there may be none. */
  constructor(private readonly openPool: () => Promise<pg.Pool>) {}

  async run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.query<Row>({ text, values });
  }

  /** Planned once for each connection, not for each call. */
  async runNamed<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return this.query<Row>({ name, text, values });
  }

  /**
   * In the manager's transaction. The manager's own `execute` writes values into the text, which the server then reads
   * word by word: too slow for many rows, and without arrays. Times come back as text here.
   */
  async runIn<Row extends object>(em: EntityManager, query: Sql): Promise<Row[]> {
    const { text, values } = query.toQuery();
    const compiled = {
      sql: text,
      parameters: values,
      query: { kind: 'RawNode', sqlFragments: [text], parameters: [] },
    };
    const { rows } = await em
      .getKysely()
      .executeQuery<Row>({ ...compiled, queryId: { queryId: 'statement' } } as never);
    return rows;
  }

  private async query<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    refuseInTransaction();
    this.pool ??= this.openPool();
    const { rows } = await (await this.pool).query<Row>({ ...query, types: pg.types });
    return rows;
  }
}
