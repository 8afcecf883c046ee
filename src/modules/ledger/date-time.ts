import { z } from 'zod';
import { EXAMPLE_TIME } from '../../kernel/schema.js';

const RFC_3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const FROM = Date.parse('1970-01-01T00:00:00Z');
const UNTIL = Date.parse('9999-12-31T23:59:59.999Z');

interface Instant {
  /** Whole milliseconds since 1970. */
  milliseconds: number;
  /** Whether the text had digits beyond the millisecond. */
  hasRemainder: boolean;
}

/**
 * Parses RFC 3339 with an offset, for the years 1970 to 9999. Dates that do not exist, such as February 30, are
 * refused.
 */
export function parseInstant(text: string): Instant | undefined {
  const [, local = '', fraction = '', offset = ''] = RFC_3339.exec(text.toUpperCase()) ?? [];
  if (!local) return undefined;
  const asWritten = new Date(`${local}Z`);
  if (!asWritten.toISOString().startsWith(local)) return undefined;
  const milliseconds = Date.parse(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  if (!(milliseconds >= FROM && milliseconds <= UNTIL)) return undefined;
  return { milliseconds, hasRemainder: /[1-9]/.test(fraction.slice(3)) };
}

const NOT_A_DATE = 'must be a date and time with offset, such as 2026-11-21T09:30:00Z, of the years 1970 to 9999';

function dateTime<T>(read: (instant: Instant) => T) {
  return z
    .string()
    .transform((text, context) => {
      const instant = parseInstant(text);
      if (instant) return read(instant);
      context.addIssue(NOT_A_DATE);
      return z.NEVER;
    })
    .meta({ format: 'date-time', examples: [EXAMPLE_TIME] });
}

/** The time of a call, cut to the millisecond, because that is what the ledger keeps. */
export const timeOfCall = dateTime(({ milliseconds }) => new Date(milliseconds));

/** A bound of a window over times of calls. As those are whole milliseconds, a bound between two is rounded up. */
export const bound = dateTime(
  ({ milliseconds, hasRemainder: isPastIt }) => new Date(milliseconds + (isPastIt ? 1 : 0)),
);
