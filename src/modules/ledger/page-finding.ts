import { DAY_MS, HOUR_MS } from '../../kernel/spans.js';
import type { Ask } from '../../platform/database/reads.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import { countCalls, countsByBucket } from './store.counts.js';
import { type Part, partsOf } from './time-parts.js';
import type { Matching } from './store.matching.js';
import { pageOfFew, pageOnTheWay, type PageWanted } from './store.page.js';
import { behind, type Position, windowBehind } from './page-cursor.js';

/** So many rows are read and sorted sooner than the index of an order is walked past many that do not match. */
const FEW = 10_000;
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
  if (position) return pageBehind(matching, page, total, position);
  const isFew = total <= FEW || matching.sessionIds !== null;
  if (page.sortBy !== 'timestamp' || matching.sessionIds) {
    return isFew ? pageOfFew(matching, page) : pageOnTheWay(matching, page);
  }
  if (matching.dims && isFew) return pageOfFew(matching, page);
  if (isNear(page.offset) || page.offset >= total) return pageOnTheWay(matching, page);
  return seek(ask, matching, page);
}

function pageBehind(matching: Matching, page: PageWanted, total: number, position: Position): Sql {
  const left = windowBehind(matching, page, position);
  const isFew = total <= FEW || matching.sessionIds !== null;
  const isSorted = isFew && (page.sortBy !== 'timestamp' || matching.dims !== null || matching.sessionIds !== null);
  return (isSorted ? pageOfFew : pageOnTheWay)(left, page, behind(page, position));
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
  const span = { from: from.getTime(), to: to.getTime() };
  if (counted === 'hours') return buckets(ask, matching, span, 'hours', HOUR_MS);
  if (counted === 'days') return buckets(ask, matching, span, 'days', DAY_MS);
  const [counts] = await ask<{ count: number }>(
    sql`select (${countCalls({ ...matching, from, to })})::float8 as count`,
  );
  return [{ ...span, count: counts!.count }];
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
