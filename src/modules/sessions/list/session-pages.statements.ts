import { columnsOf } from '../../../platform/database/columns.js';
import type { Ask } from '../../../platform/database/reads.js';
import { type Sql, sql } from '../../../platform/database/sql.js';
import { rows } from '../../../platform/database/statement.js';
import { type Counts, countsBySlot, SLOT_MS } from './session-counts.statements.js';
import { hasReference, type Matching, matchingRows } from './session-matching.statements.js';
import { Session, type SessionRow } from '../session.entity.js';

/** The offset up to which skipping entries of an index is faster than another query for the place to begin. */
const NEAR = 100;

export interface PageWanted {
  offset: number;
  limit: number;
}

/** A span of time with the number of matching sessions in it and before it in the list. */
interface Segment {
  from: Date;
  to: Date;
  count: number;
  before: number;
}

/** A range of the index that is read, and the number of entries to skip in it. */
interface IndexRange {
  from: Date;
  to: Date;
  skip: number;
}

/** Reads the sessions of a page, newest first. It skips times without a match, of which the sums know. */
export async function readPage(ask: Ask, matching: Matching, counts: Counts, page: PageWanted): Promise<SessionRow[]> {
  if (page.offset >= counts.newer + counts.summed + counts.older) return [];
  const ranges = await findRanges(ask, matching, counts, page);
  return ask(rows<SessionRow>(sessionsIn(matching, ranges, page.limit)));
}

async function findRanges(ask: Ask, matching: Matching, counts: Counts, page: PageWanted): Promise<IndexRange[]> {
  const { from, to, environment, source } = matching;
  const isDense = environment === undefined && source === undefined;
  if (hasReference(matching) || (isDense && page.offset <= NEAR)) return [{ from, to, skip: page.offset }];
  const segments = (await findSegments(ask, matching, counts, page)).filter((segment) => isOn(segment, page));
  return toRanges(segments, page.offset);
}

async function findSegments(ask: Ask, matching: Matching, counts: Counts, page: PageWanted): Promise<Segment[]> {
  const { newerFrom, newer, summed, olderTo, older } = counts;
  const sums = { from: olderTo, to: newerFrom, count: summed, before: newer };
  return [
    { from: newerFrom, to: matching.to, count: newer, before: 0 },
    ...(isOn(sums, page) ? await findSlots(ask, matching, sums, page) : []),
    { from: matching.from, to: olderTo, count: older, before: newer + summed },
  ];
}

async function findSlots(ask: Ask, matching: Matching, sums: Segment, page: PageWanted): Promise<Segment[]> {
  const query = countsBySlot(matching, sums.to, page.offset - sums.before, page.limit);
  const slots = await ask(rows<Omit<Segment, 'to'>>(query));
  return slots.map(({ from, count, before }) => {
    return { from, to: new Date(from.getTime() + SLOT_MS), count, before: sums.before + before };
  });
}

function isOn({ count, before }: Segment, { offset, limit }: PageWanted): boolean {
  return count > 0 && before < offset + limit && before + count > offset;
}

/** Makes one range of neighbouring segments. */
function toRanges(segments: readonly Segment[], offset: number): IndexRange[] {
  const ranges: IndexRange[] = [];
  for (const { from, to, before } of segments) {
    const last = ranges.at(-1);
    if (last?.from.getTime() === to.getTime()) last.from = from;
    else ranges.push({ from, to, skip: Math.max(0, offset - before) });
  }
  return ranges;
}

/** Selects the ids of the page from a covering index, and reads the table only for these. */
function sessionsIn(matching: Matching, ranges: readonly IndexRange[], limit: number): Sql {
  const [froms, tos] = [ranges.map(({ from }) => from), ranges.map(({ to }) => to)];
  const query = sql`
    select ${columnsOf(Session)} from session join (
      select found.id from unnest(${froms}::timestamptz[], ${tos}::timestamptz[], ${ranges.map(({ skip }) => skip)}::bigint[])
        as walk (from_time, to_time, skip), lateral (
          select id, created_at from session
          where ${matchingRows(matching)} and created_at >= walk.from_time and created_at < walk.to_time
          order by created_at desc, id desc offset walk.skip limit ${limit}) found
      order by found.created_at desc, found.id desc limit ${limit}) page using (id)
    order by created_at desc, id desc`;
  return hasReference(matching) ? query : query.planned();
}
