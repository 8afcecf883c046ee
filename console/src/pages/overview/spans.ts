import { DAY_MS, HOUR_MS } from '../../parts/durations.js';
import type { Period, Range } from '../../parts/period.js';

/** A longer range is drawn by day. */
const MOST_BY_HOUR_MS = 3 * DAY_MS;

/** The period that the plots show, and the step from one of their points to the next. */
export interface Span {
  name: string;
  last: string;
  period: Period;
  interval: 'day' | 'hour';
  stepMs: number;
  /** The key under which the API sums the interval of this time. */
  keyOf: (time: number) => string;
}

const BY_DAY = {
  last: 'On the last day',
  interval: 'day',
  stepMs: DAY_MS,
  keyOf: (time: number) => new Date(time).toISOString().slice(0, 10),
} as const;

const BY_HOUR = {
  last: 'In the last hour',
  interval: 'hour',
  stepMs: HOUR_MS,
  keyOf: (time: number) => `${new Date(time).toISOString().slice(0, 13)}:00Z`,
} as const;

/** The spans that end now, by their words in the address. */
export const SPANS = {
  days: { choice: 'The last 30 days, by day', name: 'The last 30 days', period: { hours: 720 }, ...BY_DAY },
  hours: { choice: 'The last 24 hours, by hour', name: 'The last 24 hours', period: { hours: 24 }, ...BY_HOUR },
};

/** Returns the span of a range that the user has set. */
export function spanOf(range: Range): Span {
  const isShort = Date.parse(range.toDate) - Date.parse(range.fromDate) <= MOST_BY_HOUR_MS;
  return { name: 'The period', period: range, ...(isShort ? BY_HOUR : BY_DAY) };
}
