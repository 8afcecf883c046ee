import { z } from 'zod';
import { EXAMPLE_TIME } from '../../kernel/schema.js';

const RFC_3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const FROM = Date.parse('1970-01-01T00:00:00Z');
const UNTIL = Date.parse('9999-12-31T23:59:59.999Z');

interface Instant {
  /** Whole milliseconds since 1970. */
  milliseconds: number;
  /** Something was left over. */
  isPastIt: boolean;
}

/** Reads RFC 3339 with offset, of the years 1970 to 9999. Days that the month does not have are no dates. */
export function parseInstant(text: string): Instant | undefined {
  const [, local = '', fraction = '', offset = ''] = RFC_3339.exec(text.toUpperCase()) ?? [];
  if (!local) return undefined;
  const asWritten = new Date(`${local}Z`);
  if (!asWritten.toISOString().startsWith(local)) return undefined;
  const milliseconds = Date.parse(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  if (!(milliseconds >= FROM && milliseconds <= UNTIL)) return undefined;
  return { milliseconds, isPastIt: /[1-9]/.test(fraction.slice(3)) };
}

const NO_DATE = 'must be a date and time with offset, such as 2026-11-21T09:30:00Z, of the years 1970 to 9999';

function dateTime<T>(read: (instant: Instant) => T) {
  return z
    .string()
    .transform((text, context) => {
      const instant = parseInstant(text);
      if (instant) return read(instant);
      context.addIssue(NO_DATE);
      return z.NEVER;
    })
    .meta({ format: 'date-time', examples: [EXAMPLE_TIME] });
}

/** A time that is kept: to the millisecond. */
export const timeOfCall = dateTime(({ milliseconds }) => new Date(milliseconds));

/** A bound of a window over such times: one between two milliseconds is as good as the later of them. */
export const bound = dateTime(({ milliseconds, isPastIt }) => new Date(milliseconds + (isPastIt ? 1 : 0)));
