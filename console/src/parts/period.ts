import { refreshWhileFailing } from '../api/queries.js';
import { HOUR_MS } from './durations.js';
import type { Filters } from './use-filters.js';

const TIME_IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;
const NO_TIME = 'Enter a time. In the address it is in UTC, such as 2026-11-21T09:30:00Z.';

/** A time between two moments. The second one is not part of it. */
interface Range {
  fromDate: string;
  toDate: string;
}

/** The time that a page shows: the last hours, or the range that a user has set. */
export type Period = { hours: number } | Range;

/** All times, in a list that need not be limited to a period. */
export const ANY_TIME = 'any';

/** The periods that end now, by their words in the address. */
export const LAST = {
  '1h': { label: 'Last hour', hours: 1 },
  '24h': { label: 'Last 24 hours', hours: 24 },
  '7d': { label: 'Last 7 days', hours: 168 },
  '30d': { label: 'Last 30 days', hours: 720 },
};

/** Returns the word of the period in the address that ends now, by default the one of the last day. */
export function lastOf({ period = '24h' }: Filters): keyof typeof LAST {
  return Object.hasOwn(LAST, period) ? (period as keyof typeof LAST) : '24h';
}

export function hasBounds({ from, to }: Filters): boolean {
  return Boolean(from) || Boolean(to);
}

/** Returns the period in the address. It is undefined if the bounds in the address have faults. */
export function periodOf(filters: Filters): Period | undefined {
  if (!hasBounds(filters)) return { hours: LAST[lastOf(filters)].hours };
  const { from, to } = faultsOf(filters);
  return from || to ? undefined : { fromDate: filters.from!, toDate: filters.to! };
}

/** Returns the period in the address as `periodOf` does, or `ANY_TIME` if the address has none. */
export function optionalPeriodOf(filters: Filters): Period | typeof ANY_TIME | undefined {
  return hasBounds(filters) || filters.period ? periodOf(filters) : ANY_TIME;
}

/** Returns why the bounds in the address are none, in sentences for the user. */
export function faultsOf({ from, to }: Filters): { from?: string; to?: string } {
  const faults = { ...(!isTime(from) && { from: NO_TIME }), ...(!isTime(to) && { to: NO_TIME }) };
  if (from && to && !faults.from && !faults.to && Date.parse(from) >= Date.parse(to))
    return { from: 'From must be before To.' };
  return faults;
}

/** The years before 1970 are not known to the API. A day that does not exist would be taken for another one. */
export function isTime(text: string | undefined): text is string {
  if (!text || !TIME_IN_UTC.test(text) || !(Date.parse(text) >= 0)) return false;
  return new Date(text).toISOString().startsWith(text.slice(0, 16));
}

/**
 * Returns the range of a period. The last hours end now, so their range is made again for each request. It ends later
 * than now, because the clocks of other machines may be ahead.
 */
export function rangeOf(period: Period, aheadMs = HOUR_MS): Range {
  if (!('hours' in period)) return period;
  const now = Date.now();
  return {
    fromDate: new Date(now - period.hours * HOUR_MS).toISOString(),
    toDate: new Date(now + aheadMs).toISOString(),
  };
}

/** Whether nothing is added to the period any more. Calls are written when they have ended, and clocks differ. */
export function hasEnded(period: Period): boolean {
  return !('hours' in period) && Date.parse(period.toDate) + HOUR_MS < Date.now();
}

/** The interval in which the content of a period is read again: once it has ended, only after a failure. */
export function refreshOf(period: Period | undefined, everyMs: number): typeof refreshWhileFailing | number {
  return period && hasEnded(period) ? refreshWhileFailing : everyMs;
}
