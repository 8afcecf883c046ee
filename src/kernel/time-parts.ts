export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** From a time on, before another. */
export interface Span {
  from: Date;
  to: Date;
}

/** How a span is counted: what is whole from the sums, the rest from the rows. */
export type Counted = 'rows' | 'hours' | 'days';

export interface Part extends Span {
  counted: Counted;
}

/** The parts of a span in the order of time: rows, hours, days, hours, rows; some of them empty. */
export function partsOf({ from, to }: Span): Part[] {
  const [begin, end] = [from.getTime(), to.getTime()];
  const [firstHour, lastHour] = wholeWithin(begin, end, HOUR_MS);
  const [firstDay, lastDay] = wholeWithin(firstHour, lastHour, DAY_MS);
  return [
    part('rows', begin, firstHour),
    part('hours', firstHour, firstDay),
    part('days', firstDay, lastDay),
    part('hours', lastDay, lastHour),
    part('rows', lastHour, end),
  ];
}

/** The largest span of whole units in this one; where there is none, an empty one at its end. */
export function wholeWithin(begin: number, end: number, unit: number): [number, number] {
  const first = Math.ceil(begin / unit) * unit;
  const last = Math.floor(end / unit) * unit;
  return first < last ? [first, last] : [end, end];
}

function part(counted: Counted, from: number, to: number): Part {
  return { counted, from: new Date(from), to: new Date(to) };
}
