import { DAY_MS, HOUR_MS, type Span, wholeWithin } from '../../../kernel/spans.js';

/** The source of a part's count: the rollup for whole hours and days, and the calls themselves for the rest. */
export type CountedFrom = 'rows' | 'hours' | 'days';

export interface Part extends Span {
  countedFrom: CountedFrom;
}

/** Splits a span into parts in order of time: rows, hours, days, hours, rows. Some of them may be empty. */
export function partsOf(span: Span): Part[] {
  const [first, { from, to }, last] = hourPartsOf(span);
  const [firstHour, lastHour] = [from.getTime(), to.getTime()];
  const [firstDay, lastDay] = wholeWithin(firstHour, lastHour, DAY_MS);
  return [
    first,
    part('hours', firstHour, firstDay),
    part('days', firstDay, lastDay),
    part('hours', lastDay, lastHour),
    last,
  ];
}

/** Splits a span whose hours are told apart: rows, hours, rows. */
export function hourPartsOf({ from, to }: Span): [Part, Part, Part] {
  const [begin, end] = [from.getTime(), to.getTime()];
  const [firstHour, lastHour] = wholeWithin(begin, end, HOUR_MS);
  return [part('rows', begin, firstHour), part('hours', firstHour, lastHour), part('rows', lastHour, end)];
}

/** Returns the whole hours that a span touches. */
export function wholeHoursAround({ from, to }: Span): Span {
  return {
    from: new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS),
    to: new Date(Math.ceil(to.getTime() / HOUR_MS) * HOUR_MS),
  };
}

function part(counted: CountedFrom, from: number, to: number): Part {
  return { countedFrom: counted, from: new Date(from), to: new Date(to) };
}
