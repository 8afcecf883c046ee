import { wholeWithin } from '../../../kernel/spans.js';
import { planned, type Sql, sql } from '../../../platform/database/sql.js';
import { hasReference, type Matching, matchingEnvironment, matchingRows } from './session-matching.statements.js';

/** The length of a slot, for which there is one sum. The SQL function `session_slot` has the same length. */
export const SLOT_MS = 600_000;

/** How many sessions match: in the summed slots, and in the rows that are newer or older than these. */
export interface Counts {
  /** From this time to the end of the span, rows are counted one by one. */
  newerFrom: Date;
  newer: number;
  summed: number;
  /** From the beginning of the span to this time, rows are counted one by one. */
  olderTo: Date;
  older: number;
}

export function countMatching(matching: Matching): Sql {
  const { from, to } = matching;
  if (hasReference(matching)) {
    return sql`
      select ${from}::timestamptz as "newerFrom", (${countRows(matching, from, to)}) as newer, 0::float8 as summed,
             ${from}::timestamptz as "olderTo", 0::float8 as older`;
  }
  const { first, last } = wholeSlots(matching);
  const until = sql`counted.until`;
  return planned`
    select counted.until as "newerFrom", (${countRows(matching, until, to)}) as newer,
           (select coalesce(sum(n), 0)::float8 from session_count where ${matchingSums(matching, until)}) as summed,
           ${first}::timestamptz as "olderTo", (${countRows(matching, from, first)}) as older
    from (select greatest(${first}::timestamptz, least(${last}::timestamptz, counted_until)) as until
          from session_counting) counted`;
}

/**
 * Selects the slots, newest first, that contain the page from the `skip`th session on, and the number before each slot.
 */
export function countsBySlot(matching: Matching, until: Date, skip: number, limit: number): Sql {
  return planned`
    select slot as "from", n::float8 as count, before::float8 as before
    from (select slot, sum(n) as n, sum(sum(n)) over (order by slot desc) - sum(n) as before
          from session_count where ${matchingSums(matching, sql`${until}`)} group by slot) slots
    where n > 0 and before < ${skip + limit} and before + n > ${skip} order by slot desc`;
}

function countRows(matching: Matching, from: Date | Sql, to: Date): Sql {
  return sql`select count(*)::float8 from session
             where ${matchingRows(matching)} and created_at >= ${from} and created_at < ${to}`;
}

function matchingSums(matching: Matching, until: Sql): Sql {
  return sql`${matchingEnvironment(matching)} and slot >= ${wholeSlots(matching).first} and slot < ${until}`;
}

function wholeSlots({ from, to }: Matching): { first: Date; last: Date } {
  const [first, last] = wholeWithin(from.getTime(), to.getTime(), SLOT_MS);
  return { first: new Date(first), last: new Date(last) };
}
