import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../kernel/json.js';
import { isStorable } from '../../kernel/storable-text.js';
import type { Position } from './sorting.js';

const Cursor = z.tuple([z.string(), z.unknown(), z.string().refine(isStorable)]);

/** Says which list, order and filters a cursor belongs to. */
export function fingerprintOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
}

export function writeCursor(fingerprint: string, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([fingerprint, value, id])).toString('base64url');
}

/** Returns the position in a cursor, or the fault of the cursor. */
export function readCursor(cursor: string, fingerprint: string, value: z.ZodType): Position | { fault: string } {
  const read = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) return { fault: 'is not a cursor; send the value of `meta.nextCursor` unchanged' };
  const [of, sorted, id] = read.data;
  if (of !== fingerprint || !value.safeParse(sorted).success) {
    return { fault: 'belongs to another order or filter; send the same query as before, or begin without a cursor' };
  }
  return { value: sorted, id };
}
