import { DAY_MS, HOUR_MS } from '../../kernel/spans.js';
import type { Ask } from '../../platform/database/reads.js';
import type { Sql } from '../../platform/database/sql.js';
import { countsByBucket, totalOf } from './store.counts.js';
import { type Part, partsOf } from './time-parts.js';
import type { Matching } from './store.matching.js';
import { behind, pageOfFew, pageOnTheWay, type PageWanted, type Position, windowBehind } from './store.page.js';

/** So many rows are read and sorted sooner than the index of an order is walked past many that do not match. */
const FEW = 10_000;
/** Of sessions, which may lie far off in the window; but who goes on from page to page reads what is left each time. */
const FEW_OF_SESSIONS = 100_000;
/** So many rows are skipped sooner than they are counted. */
const NEAR = 1_000;

export const isNear = (offset: number) => offset <= NEAR;

interface Segment {
  from: number;
  to: number;
  count: number;
}

/** How the rows of a page are found, given how many match in all. */
export async function findPage(
  ask: Ask,
  matching: Matching,
  page: PageWanted,
  total: number,
  position?: Position,
): Promise<Sql> {
  const few = matching.sessionIds && !position ? FEW_OF_SESSIONS : FEW;
  const isNarrowed = matching.dims !== null || matching.sessionIds !== null;
  const isSorted = total <= few && (isNarrowed || page.sortBy !== 'timestamp');
  const find = isSorted ? pageOfFew : pageOnTheWay;
  if (position) return find(windowBehind(matching, page, position), page, behind(page, position));
  const hasSums = page.sortBy === 'timestamp' && !matching.sessionIds;
  if (isSorted || !hasSums || isNear(page.offset) || page.offset >= total) return find(matching, page);
  return seek(ask, matching, page);
}

/** A page far from the begin: by the sums it is known in which hour it starts, and how much of that to skip. */
async function seek(ask: Ask, matching: Matching, page: PageWanted): Promise<Sql> {
  const isForwards = page.sortOrder === 'asc';
  let skip = page.offset;
  const startIn = (segments: Segment[]): Segment => {
    for (const segment of isForwards ? segments : segments.toReversed()) {
      if (skip < segment.count) return segment;
      skip -= segment.count;
    }
    throw new Error('The sums are fewer than the calls');
  };
  const segments: Segment[] = [];
  for (const part of partsOf(matching)) segments.push(...(await segmentsOf(ask, matching, part)));
  let start = startIn(segments);
  if (start.to - start.from === DAY_MS) start = startIn(await buckets(ask, matching, start, 'hours', HOUR_MS));
  const rest = isForwards ? { from: new Date(start.from) } : { to: new Date(start.to) };
  return pageOnTheWay({ ...matching, ...rest }, { ...page, offset: skip });
}

async function segmentsOf(ask: Ask, matching: Matching, { counted, from, to }: Part): Promise<Segment[]> {
  if (from >= to) return [];
  const span = { from: from.getTime(), to: to.getTime() };
  if (counted === 'hours') return buckets(ask, matching, span, 'hours', HOUR_MS);
  if (counted === 'days') return buckets(ask, matching, span, 'days', DAY_MS);
  const [rows] = await ask<{ total: number }>(totalOf({ ...matching, from, to }));
  return [{ ...span, count: rows!.total }];
}

async function buckets(
  ask: Ask,
  matching: Matching,
  span: { from: number; to: number },
  counted: 'hours' | 'days',
  width: number,
): Promise<Segment[]> {
  if (span.from >= span.to) return [];
  const within = { ...matching, from: new Date(span.from), to: new Date(span.to) };
  const counts = await ask<{ bucket: Date; count: number }>(countsByBucket(within, counted));
  return counts
    .map(({ bucket, count }) => ({ from: bucket.getTime(), to: bucket.getTime() + width, count }))
    .sort((a, b) => a.from - b.from);
}
