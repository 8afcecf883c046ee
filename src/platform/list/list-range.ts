import { raw, type Sql, sql } from '../database/sql.js';
import type { Key, Order } from './sorting.js';

/** The rows of a list that a statement reads: behind a key, or from the first one on. */
export interface ListRange {
  after: Key | null;
  order: Order;
  limit: number;
}

/** Returns the end of a statement, behind its other conditions: `and` the rows of the range, ordered by the key. */
export function andInRange(key: string, { after, order, limit }: ListRange): Sql {
  const isBehind = raw(`${key} ${order === 'asc' ? '>' : '<'}`);
  const behind = after === null ? raw('') : sql`and ${isBehind} ${after} `;
  return sql`${behind}order by ${raw(`${key} ${order}`)} limit ${limit}`;
}
