import { DAY_MS } from '../../kernel/spans.js';
import type { Ask } from '../../platform/database/reads.js';
import type { Sql } from '../../platform/database/sql.js';
import { hoursOf, type Segment, segmentsOf } from './store.counts.js';
import { isNarrowed, type Matching } from './store.matching.js';
import {
  behind,
  pageAfterSkipping,
  pageOfFew,
  pageOnTheWay,
  type PageWanted,
  type Position,
  windowBehind,
} from './store.page.js';

/** So many rows are read and sorted sooner than the index of an order is walked past many that do not match. */
const FEW = 10_000;
/** Of sessions, which may lie far off in the window; but who goes on from page to page reads what is left each time. */
const FEW_OF_SESSIONS = 100_000;
/** So many rows are skipped sooner than they are counted. */
const NEAR = 1_000;

export const isNear = (offset: number) => offset <= NEAR;

/** How the rows of a page are found, given how many match in all. */
export async function findPage(
  ask: Ask,
  matching: Matching,
  page: PageWanted,
  total: number,
  position?: Position,
): Promise<Sql> {
  // Nobody reads past all that match.
  if (!position && page.offset >= total) return pageOnTheWay(matching, { ...page, limit: 0, offset: 0 });
  const few = matching.sessionIds && !position ? FEW_OF_SESSIONS : FEW;
  const isSorted = total <= few && (isNarrowed(matching) || page.sortBy !== 'timestamp');
  const find = isSorted ? pageOfFew : pageOnTheWay;
  if (position) return find(windowBehind(matching, page, position), page, behind(page, position));
  const hasSums = page.sortBy === 'timestamp' && !matching.sessionIds;
  if (isSorted || !hasSums || isNear(page.offset)) return find(matching, page);
  return seek(ask, matching, page);
}

/** The pages of all calls of a window are found alike whatever the window: they are planned once. */
export function plannedIfAlike(matching: Matching, { sortBy }: Pick<PageWanted, 'sortBy'>, rendered: Sql): Sql {
  return sortBy === 'timestamp' && !isNarrowed(matching) ? rendered.plannedForAll() : rendered;
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
  let start = startIn(await ask(segmentsOf(matching)));
  if (start.to.getTime() - start.from.getTime() === DAY_MS) start = startIn(await ask(hoursOf(matching, start)));
  const rest = isForwards ? { from: start.from } : { to: start.to };
  const find = isNarrowed(matching) ? pageOnTheWay : pageAfterSkipping;
  return find({ ...matching, ...rest }, { ...page, offset: skip });
}
