import { z } from 'zod';
import { wholeNumber } from '../../kernel/schema.js';

/** The query of a signed link. */
export const LinkQuery = z.strictObject({
  expires: wholeNumber(0, 9_999_999_999).describe('The `expires` of the link.'),
  signature: z.string().describe('The `signature` of the link.'),
});
export type LinkQuery = z.infer<typeof LinkQuery>;
