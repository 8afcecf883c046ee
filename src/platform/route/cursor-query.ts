import { z } from 'zod';
import { isAnyId } from '../../kernel/ids.js';
import { wholeNumber } from '../../kernel/schema.js';

/** The query with which a client pages through a list of the administration. */
export const CursorQuery = z.strictObject({
  cursor: z
    .string()
    .refine(isAnyId, 'is no cursor; send `meta.nextCursor` as it came')
    .optional()
    .describe('`meta.nextCursor` of the page before.'),
  limit: wholeNumber(1, 100).prefault(20),
});
export type CursorQuery = z.infer<typeof CursorQuery>;
