import { Injectable } from '@nestjs/common';
import { Statements } from '../database/statements.js';
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
const masterKeyOf = (column: string) => `substring(left(${column}, 12) from '^v1\\.([1-9]\\d{0,5})\\.')::integer`;

/** What stands in all sealed columns, by the master key that wraps it. */
@Injectable()
export class SealedRows {
  constructor(private readonly statements: Statements) {}

  /** How many records each master key wraps. */
  async countByMasterKey(): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (const { table, column } of sealedColumns()) {
      const rows = await this.statements.run<{ number: number; records: number }>(
        `select number, count(*)::float8 as records
         from (select ${masterKeyOf(column)} as number from ${table}) sealed where number is not null group by number`,
      );
      for (const { number, records } of rows) counts.set(number, (counts.get(number) ?? 0) + records);
    }
    return counts;
  }

  /** Of the next rows those that an older master key wraps. So many are looked at and no more, whatever is in them. */
  async batch({ table, column, id }: SealedColumn, after: string, masterKey: number, limit: number): Promise<Batch> {
    const looked = await this.statements.run<{ id: string; sealed: string | null }>(
      `select ${id} as id, case when ${masterKeyOf(column)} < $1 then ${column} end as sealed
       from ${table} where ${id} > $2 and ${column} is not null order by ${id} limit $3`,
      [masterKey, after, limit],
    );
    const rows = looked.filter((row): row is SealedRow => row.sealed !== null);
    return { rows, next: looked.length === limit ? looked.at(-1)!.id : null };
  }

  /** False when the row has another text by now, or is gone: what was written meanwhile stays. */
  async replace({ table, column, id }: SealedColumn, { id: rowId, sealed }: SealedRow, by: string): Promise<boolean> {
    const rows = await this.statements.run(
      `update ${table} set ${column} = $1 where ${id} = $2 and ${column} = $3 returning 1`,
      [by, rowId, sealed],
    );
    return rows.length > 0;
  }
}
