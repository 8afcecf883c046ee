import { z } from 'zod';
import { isAnyId } from '../../kernel/ids.js';
import { wholeNumber } from '../../kernel/schema.js';

/** The query with which a client pages through a list of the administration that has one order. */
export const CursorQuery = z.strictObject({
  cursor: z
    .string()
    .refine(isAnyId, 'is not a cursor; send the value of `meta.nextCursor` unchanged')
    .optional()
    .describe('The `meta.nextCursor` of the previous page.'),
  limit: wholeNumber(1, 100).prefault(20),
});
export type CursorQuery = z.infer<typeof CursorQuery>;
