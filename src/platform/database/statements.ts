import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import pg from 'pg';

/**
 * Single statements outside any request's manager and transaction: what is no part of a request's work, or outlives it.
 * Straight to the driver, with its parameters (`$1`) and its types: arrays stay arrays, and times are dates.
 */
@Injectable()
export class Statements {
  private pool: Promise<pg.Pool> | undefined;

  constructor(private readonly orm: MikroORM) {}

  async run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.query<Row>({ text, values });
  }

  /** Planned once for each connection, not for each call. */
  async runNamed<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return this.query<Row>({ name, text, values });
  }

  private async query<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    this.pool ??= this.orm.em.getDriver().getConnection().getNativeClient();
    const { rows } = await (await this.pool).query<Row>({ ...query, types: pg.types });
    return rows;
  }
}
