import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { raw, sql } from '../database/sql.js';
import { exists, rows, type Statement } from '../database/statement.js';
import { type SealedColumn, sealedColumns } from './sealed-column.js';

export interface SealedRow {
  id: string;
  sealed: string;
}

interface Batch {
  rows: SealedRow[];
  /** The id after which the next batch begins; null after the last one. */
  next: string | null;
}

/** The master key's number in a sealed text, read only from the beginning of the text. Null in any other text. */
export const masterKeyOf = (column: string) =>
  raw(`substring(left(${column}, 12) from '^v1\\.([1-9]\\d{0,5})\\.')::integer`);

/** Reads and replaces the sealed texts of all sealed columns. */
@Injectable()
export class SealedRows {
  constructor(private readonly database: Database) {}

  /** Counts the records that each master key wraps. */
  async countByMasterKey(): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (const column of sealedColumns()) {
      for (const { number, records } of await this.database.ask(countIn(column))) {
        counts.set(number, (counts.get(number) ?? 0) + records);
      }
    }
    return counts;
  }

  /** Reads the next `limit` rows, and returns those of them that an older master key wraps. */
  async batch(column: SealedColumn, after: string, masterKey: number, limit: number): Promise<Batch> {
    const looked = await this.database.ask(lookAt(column, after, masterKey, limit));
    const older = looked.filter((row): row is SealedRow => row.sealed !== null);
    return { rows: older, next: looked.length === limit ? looked.at(-1)!.id : null };
  }

  /** Returns false, and changes nothing, if the row has another text by now or is gone. */
  replace(column: SealedColumn, row: SealedRow, by: string): Promise<boolean> {
    return this.database.ask(replaceIn(column, row, by));
  }
}

function countIn({ table, column }: SealedColumn): Statement<{ number: number; records: number }[]> {
  return rows(sql`
    select number, count(*)::float8 as records
    from (select ${masterKeyOf(column)} as number from ${raw(table)}) sealed where number is not null group by number`);
}

/** Selects rows without the text, except for those that an older master key wraps. */
function lookAt(
  { table, column, id }: SealedColumn,
  after: string,
  masterKey: number,
  limit: number,
): Statement<{ id: string; sealed: string | null }[]> {
  const [key, sealed] = [raw(id), raw(column)];
  return rows(sql`
    select ${key} as id, case when ${masterKeyOf(column)} < ${masterKey} then ${sealed} end as sealed
    from ${raw(table)} where ${key} > ${after} and ${sealed} is not null order by ${key} limit ${limit}`);
}

function replaceIn({ table, column, id }: SealedColumn, row: SealedRow, by: string): Statement<boolean> {
  return exists(sql`
    update ${raw(table)} set ${raw(column)} = ${by} where ${raw(id)} = ${row.id} and ${raw(column)} = ${row.sealed}
    returning 1`);
}
