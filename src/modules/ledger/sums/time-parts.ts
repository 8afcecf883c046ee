import { DAY_MS, HOUR_MS, type Span, wholeWithin } from '../../../kernel/spans.js';

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

function part(counted: Counted, from: number, to: number): Part {
  return { counted, from: new Date(from), to: new Date(to) };
}
