import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../parts/durations.js';
import { type Period, rangeOf } from '../../parts/period.js';
import type { TimeAxis } from './plot.js';

/** A longer span is drawn by day. */
const MOST_BY_HOUR_MS = 3 * DAY_MS;
/** The API refuses to compute percentiles of more intervals than this. */
export const MOST_STEPS = 1_000;

/** The part of a period that the plots show, and the step from one of their points to the next. */
export interface Span {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Whether the period began too many days ago to draw all of them. */
  isCut: boolean;
  last: string;
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

/** Returns the span of a period, which ends now at the latest. It is undefined if the period has not begun. */
export function spanOf(period: Period): Span | undefined {
  const { fromDate, toDate } = rangeOf(period, MINUTE_MS);
  const from = Date.parse(fromDate);
  // The clock of the service may be ahead.
  const to = Math.min(Date.parse(toDate), Date.now() + MINUTE_MS);
  if (from >= to) return undefined;
  const steps = to - from <= MOST_BY_HOUR_MS + MINUTE_MS ? BY_HOUR : BY_DAY;
  const first = (Math.ceil(to / steps.stepMs) - MOST_STEPS) * steps.stepMs;
  return { ...steps, from: Math.max(from, first), to, isCut: from < first };
}

/** Returns the filters of the API for the calls of a span. */
export function windowOf({ from, to }: Span) {
  return { fromDate: new Date(from).toISOString(), toDate: new Date(to).toISOString() };
}

/** Returns the axis of a span, which begins with the hour or day in which the span begins. */
export function axisOf({ from, to, stepMs, last }: Span): TimeAxis {
  const [first, end] = [Math.floor(from / stepMs), Math.min(to, Date.now())];
  const steps = Math.ceil(end / stepMs) - first;
  const times = Array.from({ length: steps }, (_, at) => (first + at) * stepMs);
  return { times, from: first * stepMs, to: end, last };
}
