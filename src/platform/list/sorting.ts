import { type EntityName, type FilterQuery, type QueryOrderMap, raw } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { StartError } from '../../kernel/start-error.js';
import { isStorable } from '../../kernel/storable-text.js';
import { type Column, columnOf } from '../database/entity-columns.js';
import { classOf } from '../database/entity-mark.js';
import type { Key, ListRange, Order } from './list-range.js';

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
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  text: TEXT,
  uuid: { value: z.guid(), type: 'uuid' },
  smallint: { value: z.int().min(-32_768).max(32_767), type: 'smallint' },
  integer: { value: z.int32(), type: 'integer' },
  // The program has numbers, or texts where a number would lose digits.
  bigint: { value: z.union([z.int(), z.string().refine(isLargeNumber)]), type: 'bigint' },
  'double precision': { value: z.number(), type: 'double precision' },
  timestamptz: {
    value: z.iso.datetime({ precision: 3 }).refine((text) => !text.startsWith('0000')),
    type: 'timestamptz',
    // A row in the program has milliseconds. Without it, a row with microseconds would come after its own cursor.
    of: (value) => `date_trunc('milliseconds', ${value})`,
  },
};

/** The sort value and the key of a row, behind which the next page begins. The value is null where a row has none. */
export interface Position {
  value: unknown;
  key: Key;
}

/**
 * Sorts rows by a column, and by the key where the column has equal values. As in PostgreSQL, a missing value is larger
 * than every other.
 */
export class Sorting {
  /** The values that a position can have. */
  readonly schemas: { readonly value: z.ZodType; readonly key: z.ZodType };
  private readonly column: Column;
  private readonly keyColumn: Column;
  private readonly comparison: Comparison;

  constructor(entity: EntityName, property: string, key: string) {
    this.column = columnOf(entity, property);
    this.keyColumn = columnOf(entity, key);
    this.comparison = comparisonOf(entity, this.column);
    const { value } = this.comparison;
    this.schemas = {
      value: this.column.isNullable ? value.nullable() : value,
      key: comparisonOf(entity, this.keyColumn).value,
    };
  }

  positionOf(row: object): Position {
    const values = row as Record<string, unknown>;
    return { value: valueIn(values, this.column), key: valueIn(values, this.keyColumn) as Key };
  }

  orderBy(order: Order): QueryOrderMap<object>[] {
    const byKey = { [this.keyColumn.name]: order };
    return this.isByKey ? [byKey] : [{ [raw((alias) => this.compared(alias))]: order }, byKey];
  }

  /** The rows that come after the position. */
  after({ value, key }: Position, order: Order): FilterQuery<object> {
    const isAfter = order === 'asc' ? '>' : '<';
    if (this.isByKey) return { [this.keyColumn.name]: { [order === 'asc' ? '$gt' : '$lt']: key } };
    if (value === null) return { [raw((alias) => this.afterNull(alias, order), [key])]: [] };
    const { type, of = (text: string) => text } = this.comparison;
    const position = `(${of(`?::${type}`)}, ?)`;
    const comesAfter = (alias: string) => `(${this.compared(alias)}, ${this.keyOf(alias)}) ${isAfter} ${position}`;
    const orNull = (alias: string) =>
      this.column.isNullable && order === 'asc' ? ` or ${alias}.${this.column.column} is null` : '';
    return { [raw((alias) => `(${comesAfter(alias)}${orNull(alias)})`, [value, key])]: [] };
  }

  /**
   * Returns the rows that a statement has to read. It compares the column itself, because no index serves what
   * `comparison.of` makes of it.
   */
  range(position: Position | null, order: Order, limit: number): ListRange {
    const range = { after: position?.key ?? null, order, limit };
    if (this.isByKey) return range;
    const { name, column, type, isNullable } = this.column;
    if (isNullable || type === 'text') throw new Error(`No statement reads rows in the order of ${name}`);
    return { ...range, sort: { column, type, after: position?.value ?? null } };
  }

  private afterNull(alias: string, order: Order): string {
    const column = `${alias}.${this.column.column}`;
    const key = this.keyOf(alias);
    return order === 'asc' ? `(${column} is null and ${key} > ?)` : `(${column} is not null or ${key} < ?)`;
  }

  private compared(alias: string): string {
    const column = `${alias}.${this.column.column}`;
    return this.comparison.of?.(column) ?? column;
  }

  private keyOf(alias: string): string {
    return `${alias}.${this.keyColumn.column}`;
  }

  private get isByKey(): boolean {
    return this.column.name === this.keyColumn.name;
  }
}

/** Returns a value as it is in a cursor. */
function valueIn(row: Record<string, unknown>, { name }: Column): unknown {
  const value = row[name] ?? null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}

/** Whether PostgreSQL takes the text as a `bigint`. */
function isLargeNumber(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function comparisonOf(entity: EntityName, { name, type }: Column): Comparison {
  const comparison = COMPARISONS[type];
  if (!comparison)
    throw new StartError(
      `No list of ${classOf(entity).name} can be sorted by ${name}, whose type is ${type}. Remove the sort.`,
    );
  return comparison;
}
