export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The time from `from`, inclusive, to `to`, exclusive. */
export interface Span {
  from: Date;
  to: Date;
}

/** Returns the largest span of whole units within this one, or an empty span at its end. */
export function wholeWithin(begin: number, end: number, unit: number): [number, number] {
  const first = Math.ceil(begin / unit) * unit;
  const last = Math.floor(end / unit) * unit;
  return first < last ? [first, last] : [end, end];
}
