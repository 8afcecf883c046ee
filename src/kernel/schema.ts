import { z } from 'zod';
import { containsKey } from './key-format.js';
import { exampleId, type Id, idPattern, type IdKind, isId, refuseUnknownKind } from './ids.js';

export const EXAMPLE_TIME = '2026-11-21T09:30:00.000Z';

/** An id in a body. The pattern documents and does not check, because an ill-formed id is looked up and not found. */
export const id = (kind: IdKind) => z.string().meta({ pattern: idPattern(kind), examples: [exampleId(kind)] });

/** An id that this service wrote itself, such as into the data of a job. */
export const ownId = <Kind extends IdKind>(kind: Kind) => {
  refuseUnknownKind(kind);
  return z.custom<Id<Kind>>((value) => typeof value === 'string' && isId(kind, value));
};

/** With its offset, a time that is written in the year 9999 can be in the year 10000, which has another form. */
function isInRange(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1970 && year <= 9999;
}

/** A time that a client sends, with any offset. */
export const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(isInRange, 'must be in the years 1970 to 9999')
  .meta({ type: 'string', format: 'date-time', examples: [EXAMPLE_TIME] });

export const timestamp = z.iso.datetime().meta({ examples: [EXAMPLE_TIME] });

/** Lists known values of a text, so that forms offer them. Other values are accepted as well. */
export const knownValues = (...values: string[]) => ({ anyOf: [{ enum: values }, { type: 'string' }] });

/** A whole number in a query, written as such. `Number` would also accept `1e3`, ` 5` and an empty text. */
export const wholeNumber = (min: number, max?: number) => {
  const whole = z
    .int({ error: ({ input }) => (typeof input === 'string' ? 'must be a whole number' : undefined) })
    .min(min);
  return z.preprocess(
    (given) => (typeof given === 'string' && /^-?(0|[1-9]\d*)$/.test(given) ? Number(given) : given),
    max === undefined ? whole : whole.max(max),
  );
};

/** The query of a list whose parts are asked for by their offset. */
export const OffsetQuery = z.strictObject({
  limit: wholeNumber(1, 100).prefault(20),
  offset: wholeNumber(0, 1_000_000).prefault(0),
});
export type OffsetQuery = z.output<typeof OffsetQuery>;

/** A number of things, tokens or milliseconds. */
export const count = (example: number) =>
  z
    .int()
    .min(0)
    .meta({ examples: [example] });

/**
 * Line breaks, invisible characters, and those that turn the reading direction. With them one name could pass for
 * another.
 */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/u;

/** A name that people give: trimmed, composed, and on one line. */
export const nameUpTo = (length: number) =>
  z
    .string()
    .trim()
    .normalize()
    .min(1)
    .max(length)
    .refine((text) => !UNSEEN.test(text), 'has characters that cannot be seen; take them out')
    .refine((text) => !containsKey(text), 'contains something that looks like an API key; take it out');

/** A name short enough for all places that show it. */
export const displayName = nameUpTo(128);

/**
 * Any JSON value. The API documents do not describe it, because generators make no type of a schema that contains
 * itself.
 */
export const anyJson = z.unknown() as z.ZodType<z.core.util.JSONType>;
