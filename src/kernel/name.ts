import { z } from 'zod';

/** A name that people give: trimmed, on one line, of a length that fits where names are shown. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .refine((text) => !/\p{Cc}/u.test(text), 'has control characters; take them out');
