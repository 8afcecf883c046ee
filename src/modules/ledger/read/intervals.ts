import { DAY_MS, HOUR_MS, type Span } from '../../../kernel/spans.js';
import { ledgerErrors } from '../ledger.errors.js';

export const INTERVALS = ['hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

const INTERVAL_MS: Record<Interval, number> = { hour: HOUR_MS, day: DAY_MS };

/** Enough for the days of two years, and for the hours of a month. */
const MAX_INTERVALS = 1_000;

/** The hours or days in UTC that a window touches. */
export interface Intervals {
  /** The beginning of the first one, in milliseconds since 1970. */
  first: number;
  count: number;
  width: number;
}

/** Returns the hours or days of a window, or refuses the window if there are too many. */
export function intervalsOf({ from, to }: Span, interval: Interval): Intervals {
  const width = INTERVAL_MS[interval];
  const first = Math.floor(from.getTime() / width) * width;
  const count = Math.ceil((to.getTime() - first) / width);
  if (count > MAX_INTERVALS) throw ledgerErrors.tooManyIntervals({ count: String(count), most: String(MAX_INTERVALS) });
  return { first, count, width };
}
