import { columnsOf } from '../../../platform/database/columns.js';
import type { Ask } from '../../../platform/database/reads.js';
import { type Sql, sql } from '../../../platform/database/sql.js';
import { rows } from '../../../platform/database/statement.js';
import { type Counts, countsBySlot, SLOT_MS } from './session-counts.statements.js';
import { isOfFew, type Matching, matchingRows } from './session-matching.statements.js';
import { Session, type SessionRow } from '../session.entity.js';

/** So many entries of an index are skipped sooner than it is looked up where to begin. */
const NEAR = 100;

export interface PageWanted {
  offset: number;
  limit: number;
}

/** A span in which sessions match, and how many newer ones do. */
interface Segment {
  from: Date;
  to: Date;
  count: number;
  before: number;
}

interface Walk {
  from: Date;
  to: Date;
  skip: number;
}

/** The page's sessions, newest first. Times in which none of many match are passed over. */
export async function readPage(ask: Ask, matching: Matching, counts: Counts, page: PageWanted): Promise<SessionRow[]> {
  if (page.offset >= counts.newer + counts.summed + counts.older) return [];
  const walks = await findWalks(ask, matching, counts, page);
  return ask(rows<SessionRow>(sessionsOn(matching, walks, page.limit)));
}

async function findWalks(ask: Ask, matching: Matching, counts: Counts, page: PageWanted): Promise<Walk[]> {
  const { from, to, environment, source } = matching;
  const isDense = environment === undefined && source === undefined;
  if (isOfFew(matching) || (isDense && page.offset <= NEAR)) return [{ from, to, skip: page.offset }];
  const segments = (await findSegments(ask, matching, counts, page)).filter((segment) => isOn(segment, page));
  return toWalks(segments, page.offset);
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

/** Neighbours are one walk. */
function toWalks(segments: readonly Segment[], offset: number): Walk[] {
  const walks: Walk[] = [];
  for (const { from, to, before } of segments) {
    const last = walks.at(-1);
    if (last?.from.getTime() === to.getTime()) last.from = from;
    else walks.push({ from, to, skip: Math.max(0, offset - before) });
  }
  return walks;
}

/** An index has all that is asked for until it is known which sessions it is. */
function sessionsOn(matching: Matching, walks: readonly Walk[], limit: number): Sql {
  const [froms, tos] = [walks.map(({ from }) => from), walks.map(({ to }) => to)];
  const query = sql`
    select ${columnsOf(Session)} from session join (
      select found.id from unnest(${froms}::timestamptz[], ${tos}::timestamptz[], ${walks.map(({ skip }) => skip)}::bigint[])
        as walk (from_time, to_time, skip), lateral (
          select id, created_at from session
          where ${matchingRows(matching)} and created_at >= walk.from_time and created_at < walk.to_time
          order by created_at desc, id desc offset walk.skip limit ${limit}) found
      order by found.created_at desc, found.id desc limit ${limit}) page using (id)
    order by created_at desc, id desc`;
  return isOfFew(matching) ? query : query.planned();
}
