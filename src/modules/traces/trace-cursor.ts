import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { parseJson } from '../../kernel/json.js';
import { validationError } from '../../platform/route/validation.js';
import type { TracePosition } from './trace-search.statements.js';

/** The time is in microseconds and below 2^53, so that a number represents it exactly. */
const Cursor = z.tuple([z.int().min(0).max(9_000_000_000_000_000), ownId('trace')]);

export function writeTraceCursor({ startedAt, id }: TracePosition): string {
  return Buffer.from(JSON.stringify([startedAt, id])).toString('base64url');
}

export function readTraceCursor(cursor: string): TracePosition {
  const { success, data } = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (success) return { startedAt: data[0], id: data[1] };
  throw validationError([{ path: ['cursor'], message: 'is not a cursor; send the value of `nextCursor` unchanged' }]);
}
