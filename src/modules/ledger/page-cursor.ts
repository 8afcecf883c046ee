import { z } from 'zod';
import type { SlipwayError } from '../../kernel/errors.js';
import { parseJson } from '../../kernel/json.js';
import { validationError } from '../../platform/route/validation.js';
import { raw, type Sql, sql } from '../../platform/database/sql.js';
import type { Matching } from './store.matching.js';
import { COLUMNS, type PageWanted } from './store.page.js';

/** The last call of a page: its sort value, its time, its id. */
const Cursor = z.tuple([z.string(), z.enum(['asc', 'desc']), z.number(), z.iso.datetime(), z.string()]);

export interface Position {
  value: number;
  time: Date;
  id: string;
}

type Order = Pick<PageWanted, 'sortBy' | 'sortOrder'>;

interface LastCall {
  id: string;
  timestamp: string;
  latencyMs: number;
  cost: number;
  totalTokens: number;
}

export function writeCursor({ sortBy, sortOrder }: Order, last: LastCall): string {
  const value = sortBy === 'timestamp' ? 0 : last[sortBy];
  return Buffer.from(JSON.stringify([sortBy, sortOrder, value, last.timestamp, last.id])).toString('base64url');
}

export function readCursor(cursor: string, order: Order): Position {
  const { success, data } = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!success || !data[4].isWellFormed() || data[4].includes('\0')) {
    throw badCursor('is no cursor; send x-next-cursor as it came');
  }
  const [sortBy, sortOrder, value, time, id] = data;
  if (sortBy !== order.sortBy || sortOrder !== order.sortOrder) {
    throw badCursor('is of another order; send the same sortBy and sortOrder as before');
  }
  return { value, time: new Date(time), id };
}

function badCursor(message: string): SlipwayError {
  return validationError([{ path: ['cursor'], message }]);
}

/** The rows `r` behind the position. */
export function behind({ sortBy, sortOrder }: Order, { value, time, id }: Position): Sql {
  const columns = raw(COLUMNS[sortBy].map((column) => `r.${column}`).join(', '));
  const comparison = raw(sortOrder === 'asc' ? '>' : '<');
  const place = sql`${time}::timestamptz, ${id}`;
  const position = sortBy === 'timestamp' ? place : sql`${value}, ${place}`;
  return sql`(${columns}) ${comparison} (${position})`;
}

/** By time, what is left of the window too. */
export function windowBehind(matching: Matching, { sortBy, sortOrder }: Order, { time }: Position): Matching {
  if (sortBy !== 'timestamp') return matching;
  return sortOrder === 'asc'
    ? { ...matching, from: later(matching.from, time) }
    : { ...matching, to: earlier(matching.to, new Date(time.getTime() + 1)) };
}

const later = (a: Date, b: Date) => (a > b ? a : b);
const earlier = (a: Date, b: Date) => (a < b ? a : b);
