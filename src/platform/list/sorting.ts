import { type FilterQuery, type QueryOrderMap, raw } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { isStorable } from '../../kernel/storable-text.js';
import type { Column } from '../database/entity-columns.js';

export type Order = 'asc' | 'desc';

/** How the values of a type are compared, and which values a cursor may have. */
interface Comparison {
  value: z.ZodType;
  /** The type of the parameter in SQL. */
  type: string;
  /** Returns the SQL that is compared instead of a value. */
  of?: (value: string) => string;
}

const TEXT: Comparison = {
  value: z.string().refine(isStorable),
  type: 'text',
  // Without it, the collation of some databases puts all capitals before all small letters.
  of: (value) => `lower(${value})`,
};
const WHOLE_NUMBER: Comparison = { value: z.int(), type: 'bigint' };
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  text: TEXT,
  integer: WHOLE_NUMBER,
  bigint: WHOLE_NUMBER,
  timestamptz: {
    value: z.iso.datetime({ precision: 3 }).refine((text) => !text.startsWith('0000')),
    type: 'timestamptz',
    // A row in the program has milliseconds. Without it, a row with microseconds would come after its own cursor.
    of: (value) => `date_trunc('milliseconds', ${value})`,
  },
};

/** The sort value and the id of a row, behind which the next page begins. The value is null where a row has none. */
export interface Position {
  value: unknown;
  id: string;
}

/**
 * Sorts rows by a column, and by the id where the column has equal values. As in PostgreSQL, a missing value is larger
 * than every other.
 */
export class Sorting {
  private readonly comparison: Comparison;

  constructor(private readonly column: Pick<Column, 'name' | 'column' | 'type' | 'isNullable'>) {
    const comparison = COMPARISONS[column.type];
    if (!comparison) throw new Error(`Lists are not sorted by ${column.name}, which is ${column.type}`);
    this.comparison = comparison;
  }

  get value(): z.ZodType {
    return this.column.isNullable ? this.comparison.value.nullable() : this.comparison.value;
  }

  positionOf(row: { readonly id: string }): Position {
    const value = (row as Record<string, unknown>)[this.column.name];
    return { value: value instanceof Date ? value.toISOString() : value, id: row.id };
  }

  orderBy(order: Order): QueryOrderMap<{ id: string }>[] {
    return this.isById ? [{ id: order }] : [{ [raw((alias) => this.compared(alias))]: order }, { id: order }];
  }

  /** The rows that come after the position. */
  after({ value, id }: Position, order: Order): FilterQuery<{ id: string }> {
    const isAfter = order === 'asc' ? '>' : '<';
    if (this.isById) return { id: { [order === 'asc' ? '$gt' : '$lt']: id } };
    if (value === null) return { [raw((alias) => this.afterNull(alias, order), [id])]: [] };
    const { type, of = (text: string) => text } = this.comparison;
    const position = `(${of(`?::${type}`)}, ?)`;
    const comesAfter = (alias: string) => `(${this.compared(alias)}, ${alias}.id) ${isAfter} ${position}`;
    const orNull = (alias: string) =>
      this.column.isNullable && order === 'asc' ? ` or ${alias}.${this.column.column} is null` : '';
    return { [raw((alias) => `(${comesAfter(alias)}${orNull(alias)})`, [value, id])]: [] };
  }

  private afterNull(alias: string, order: Order): string {
    const column = `${alias}.${this.column.column}`;
    return order === 'asc' ? `(${column} is null and ${alias}.id > ?)` : `(${column} is not null or ${alias}.id < ?)`;
  }

  private compared(alias: string): string {
    const column = `${alias}.${this.column.column}`;
    return this.comparison.of?.(column) ?? column;
  }

  private get isById(): boolean {
    return this.column.name === 'id';
  }
}
