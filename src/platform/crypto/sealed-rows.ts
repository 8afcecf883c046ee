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
  /** Where the next one begins; null when this was the last. */
  next: string | null;
}

/** The number in a sealed text, read from its beginning alone. */
const masterKeyOf = (column: string) => raw(`substring(left(${column}, 12) from '^v1\\.([1-9]\\d{0,5})\\.')::integer`);

/** What stands in all sealed columns, by the master key that wraps it. */
@Injectable()
export class SealedRows {
  constructor(private readonly database: Database) {}

  /** How many records each master key wraps. */
  async countByMasterKey(): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (const column of sealedColumns()) {
      for (const { number, records } of await this.database.ask(countIn(column))) {
        counts.set(number, (counts.get(number) ?? 0) + records);
      }
    }
    return counts;
  }

  /** Of the next rows those that an older master key wraps. So many are looked at and no more, whatever is in them. */
  async batch(column: SealedColumn, after: string, masterKey: number, limit: number): Promise<Batch> {
    const looked = await this.database.ask(lookAt(column, after, masterKey, limit));
    const older = looked.filter((row): row is SealedRow => row.sealed !== null);
    return { rows: older, next: looked.length === limit ? looked.at(-1)!.id : null };
  }

  /** False when the row has another text by now, or is gone: what was written meanwhile stays. */
  replace(column: SealedColumn, row: SealedRow, by: string): Promise<boolean> {
    return this.database.ask(replaceIn(column, row, by));
  }
}

function countIn({ table, column }: SealedColumn): Statement<{ number: number; records: number }[]> {
  return rows(sql`
    select number, count(*)::float8 as records
    from (select ${masterKeyOf(column)} as number from ${raw(table)}) sealed where number is not null group by number`);
}

/** Without the text where no older master key wraps it. */
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
