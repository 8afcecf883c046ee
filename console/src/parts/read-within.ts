import type { ListPage } from '../api/client.js';
import { ANY_TIME, type Period, rangeOf } from './period.js';

/** The bounds of a period, as routes of the administration name them. */
interface Bounds {
  from?: string;
  to?: string;
}

export function boundsOf(period: Period | typeof ANY_TIME): Bounds {
  if (period === ANY_TIME) return {};
  const { fromDate, toDate } = rangeOf(period);
  // The address may leave out the seconds, and these routes may not.
  return { from: new Date(fromDate).toISOString(), to: new Date(toDate).toISOString() };
}

/** Reads a page of a list. The pages after the first one are of the same time, because a cursor counts only for that. */
export async function readWithin<Row>(
  period: Period | typeof ANY_TIME,
  position: string | undefined,
  read: (at: Bounds & { cursor?: string }) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  const at = position === undefined ? boundsOf(period) : (JSON.parse(position) as Bounds);
  const page = await read(at);
  return { ...page, next: page.next && JSON.stringify({ ...at, cursor: page.next }) };
}
