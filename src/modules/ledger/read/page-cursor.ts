import { z } from 'zod';
import type { SlipwayError } from '../../../kernel/errors.js';
import { parseJson } from '../../../kernel/json.js';
import { isStorable } from '../../../kernel/storable-text.js';
import { validationError } from '../../../platform/route/validation.js';
import type { PageWanted, Position } from './page-plan.js';

const NO_CURSOR = 'is not a cursor; send the value of x-next-cursor unchanged';
/** The largest values that can be compared with a column of whole numbers. A larger one would be an error in SQL. */
const LARGEST_VALUES: Partial<Record<PageWanted['sortBy'], number>> = {
  latencyMs: 2_147_483_647,
  totalTokens: Number.MAX_SAFE_INTEGER,
};

/** The order of the list, then the sort value, the time and the id of the last call of the page. */
const Cursor = z.tuple([z.string(), z.enum(['asc', 'desc']), z.number(), z.iso.datetime(), z.string()]);

type Order = Pick<PageWanted, 'sortBy' | 'sortOrder'>;

export function writeCursor({ sortBy, sortOrder }: Order, { value, time, id }: Position): string {
  return Buffer.from(JSON.stringify([sortBy, sortOrder, value, time.toISOString(), id])).toString('base64url');
}

export function readCursor(cursor: string, order: Order): Position {
  const { success, data } = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!success || !isStorable(data[4])) {
    throw badCursor(NO_CURSOR);
  }
  const [sortBy, sortOrder, value, time, id] = data;
  if (sortBy !== order.sortBy || sortOrder !== order.sortOrder) {
    throw badCursor('belongs to another order; send the same sortBy and sortOrder as before');
  }
  const largest = LARGEST_VALUES[order.sortBy];
  if (largest !== undefined && !(Number.isInteger(value) && Math.abs(value) <= largest)) throw badCursor(NO_CURSOR);
  return { value, time: new Date(time), id };
}

function badCursor(message: string): SlipwayError {
  return validationError([{ path: ['cursor'], message }]);
}
