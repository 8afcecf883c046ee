import { z } from 'zod';
import { exampleId, idPattern, type IdKind } from './ids.js';

export const EXAMPLE_TIME = '2026-11-21T09:30:00.000Z';

/** An id in a body. The pattern documents and does not check: an ill-formed id is looked up and not found. */
export const id = (kind: IdKind) => z.string().meta({ pattern: idPattern(kind), examples: [exampleId(kind)] });

export const timestamp = z.iso.datetime().meta({ examples: [EXAMPLE_TIME] });

/** A name that people give: trimmed, on one line, of a length that fits where names are shown. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .refine((text) => !/\p{Cc}/u.test(text), 'has control characters; take them out');
