import { raw, type Sql, sql } from '../database/sql.js';

export type Order = 'asc' | 'desc';

/** The value that identifies a row in its list. Keys have the order in which rows were made. */
export type Key = string | number;

/** The rows of a list that a statement reads: behind a row, or from the first one on. */
export interface ListRange {
  /** The key of the row behind which they begin. */
  after: Key | null;
  order: Order;
  limit: number;
  /** The column by which rows are sorted before their key, and its value in the row behind which they begin. */
  sort?: { column: string; type: string; after: unknown };
}

/** Returns the end of a statement, behind its other conditions: `and` the rows of the range, in their order. */
export function andInRange(key: string, { after, order, limit, sort }: ListRange): Sql {
  const isBehind = raw(order === 'asc' ? '>' : '<');
  if (!sort) {
    const behind = after === null ? raw('') : sql`and ${raw(key)} ${isBehind} ${after} `;
    return sql`${behind}order by ${raw(`${key} ${order}`)} limit ${limit}`;
  }
  const position = sql`(${sort.after}::${raw(sort.type)}, ${after})`;
  const behind = after === null ? raw('') : sql`and (${raw(`${sort.column}, ${key}`)}) ${isBehind} ${position} `;
  return sql`${behind}order by ${raw(`${sort.column} ${order}, ${key} ${order}`)} limit ${limit}`;
}
