import { z } from 'zod';

/** How lists of the administration are paged. */
export const CursorQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[a-z]+-[0-9A-Za-z]{22}$/, 'is no cursor; send `meta.nextCursor` as it came')
    .optional()
    .describe('`meta.nextCursor` of the page before.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type CursorQuery = z.infer<typeof CursorQuery>;
