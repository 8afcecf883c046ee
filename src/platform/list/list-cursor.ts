import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../kernel/json.js';
import type { Key } from './list-range.js';
import type { Position } from './sorting.js';

const Cursor = z.tuple([z.string(), z.unknown(), z.unknown()]);

/** Says which list, order and filters a cursor belongs to. */
export function fingerprintOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
}

export function writeCursor(fingerprint: string, { value, key }: Position): string {
  return Buffer.from(JSON.stringify([fingerprint, value, key])).toString('base64url');
}

/** Returns the position in a cursor, whose sort value and key must be values of these schemas, or the cursor's fault. */
export function readCursor(
  cursor: string,
  fingerprint: string,
  { value, key }: { value: z.ZodType; key: z.ZodType },
): Position | { fault: string } {
  const read = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) return { fault: 'is not a cursor; send the value of `nextCursor` unchanged' };
  const [of, sorted, last] = read.data;
  if (of !== fingerprint || !value.safeParse(sorted).success || !key.safeParse(last).success) {
    return {
      fault: 'belongs to another list, order or filter; send the same request as before, or begin without a cursor',
    };
  }
  return { value: sorted, key: last as Key };
}
