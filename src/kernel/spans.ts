export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** From a time on, before another. */
export interface Span {
  from: Date;
  to: Date;
}

/** The largest span of whole units in this one; where there is none, an empty one at its end. */
export function wholeWithin(begin: number, end: number, unit: number): [number, number] {
  const first = Math.ceil(begin / unit) * unit;
  const last = Math.floor(end / unit) * unit;
  return first < last ? [first, last] : [end, end];
}
