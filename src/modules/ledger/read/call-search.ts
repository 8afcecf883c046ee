import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../kernel/spans.js';
import type { Ask } from '../../../platform/database/reads.js';
import { CallRepository, type Segment } from '../call.repository.js';
import type { CallsWanted } from './calls-wanted.js';
import { isNarrowed, type Matching } from './matching.js';
import type { PagePlan, PageWanted, Position } from './page-plan.js';

/** Up to this number of matches, sorting all of them is faster than walking an index past rows that do not match. */
const SORT_LIMIT = 10_000;
/**
 * The limit if there is a filter for sessions and no cursor. It is higher because calls of sessions may lie anywhere in
 * the window, so a walk may read all of it. Behind a cursor, each page would sort all remaining calls again.
 */
const SORT_LIMIT_OF_SESSIONS = 100_000;
/** Up to this number of matches, sorting them takes no longer than counting the calls that do not match. */
const FEW_MATCHES = 500;
/** Calls that match may lie behind all others, so a walk past more of them may take much longer than the sort. */
const MAX_PASSED_FOR_EACH_MATCH = 2;
/** Calls are not spread evenly, so a walk has to pass this many times fewer calls than are sorted otherwise. */
const MARGIN_OF_WALK = 4;
/** Up to this offset, skipping rows is faster than finding the start of the page in the rollup. */
const MAX_SMALL_OFFSET = 1_000;

export const isSmallOffset = (offset: number) => offset <= MAX_SMALL_OFFSET;

/**
 * Prepares a search: which combinations of filter values match, how many calls, and how the rows of a page are read.
 */
@Injectable()
export class CallSearch {
  constructor(private readonly calls: CallRepository) {}

  /** Looks up the matching combinations of filter values once, for all statements of the request. */
  async matching(ask: Ask, { filter, ...wanted }: CallsWanted): Promise<Matching> {
    if (!filter) return { ...wanted, dims: null };
    return { ...wanted, dims: { ids: await ask(this.calls.matchingDims(wanted.projectId, filter)), filter } };
  }

  async total(ask: Ask, matching: Matching): Promise<number> {
    return matching.dims?.ids.length === 0 ? 0 : ask(this.calls.total(matching));
  }

  /** Chooses how the rows of a page are read, from the number of matching calls. The planner does not know it. */
  async plan(ask: Ask, matching: Matching, page: PageWanted, total: number, after?: Position): Promise<PagePlan> {
    // An offset beyond the last match needs no search: the page is empty.
    if (!after && page.offset >= total) return { strategy: 'walk', matching, page: { ...page, limit: 0, offset: 0 } };
    const sortLimit = matching.sessionIds && !after ? SORT_LIMIT_OF_SESSIONS : SORT_LIMIT;
    const isSorted = total <= sortLimit && !(await this.isWalkShort(ask, matching, page, total));
    const strategy = isSorted ? 'sort' : 'walk';
    if (after) return { strategy, matching: windowAfter(matching, page, after), page, after };
    const hasSums = page.sortBy === 'timestamp' && !matching.sessionIds;
    if (isSorted || !hasSums || isSmallOffset(page.offset)) return { strategy, matching, page };
    return this.planFromRollup(ask, matching, page);
  }

  /**
   * Whether an index leads to the page past few other calls. The index of the time has only calls of the window, and
   * that of a metric has all calls of the months that the window touches.
   */
  private async isWalkShort(
    ask: Ask,
    matching: Matching,
    { sortBy, offset, limit }: PageWanted,
    total: number,
  ): Promise<boolean> {
    const passedForEach = await this.callsForEachMatch(ask, matching, total);
    if (passedForEach > MAX_PASSED_FOR_EACH_MATCH) return false;
    if (sortBy === 'timestamp') return true;
    const { from, to } = matching;
    const months =
      Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1) - Date.UTC(from.getUTCFullYear(), from.getUTCMonth());
    const passed = ((offset + limit) * passedForEach * months) / (to.getTime() - from.getTime());
    return passed * MARGIN_OF_WALK < total;
  }

  /** Returns how many calls of the window there are for each one that matches, or infinity where that is not known. */
  private async callsForEachMatch(ask: Ask, matching: Matching, total: number): Promise<number> {
    if (!isNarrowed(matching)) return 1;
    if (matching.sessionIds || total <= FEW_MATCHES) return Infinity;
    return (await ask(this.calls.total({ ...matching, dims: null }))) / total;
  }

  /**
   * For a page with a large offset, the rollup shows in which hour it starts and how many rows of that hour to skip.
   */
  private async planFromRollup(ask: Ask, matching: Matching, page: PageWanted): Promise<PagePlan> {
    const isForwards = page.sortOrder === 'asc';
    let skip = page.offset;
    const startIn = (segments: Segment[]): Segment => {
      for (const segment of isForwards ? segments : segments.toReversed()) {
        if (skip < segment.count) return segment;
        skip -= segment.count;
      }
      throw new Error('The rollup has fewer calls than the statement counted');
    };
    let start = startIn(await ask(this.calls.segments(matching)));
    if (start.to.getTime() - start.from.getTime() === DAY_MS) {
      start = startIn(await ask(this.calls.hoursOf(matching, start)));
    }
    const rest = isForwards ? { from: start.from } : { to: start.to };
    const strategy = isNarrowed(matching) ? 'walk' : 'skip';
    return { strategy, matching: { ...matching, ...rest }, page: { ...page, offset: skip } };
  }
}

/** For a page sorted by time, shortens the window to the part after the position. */
function windowAfter(matching: Matching, { sortBy, sortOrder }: PageWanted, { time }: Position): Matching {
  if (sortBy !== 'timestamp') return matching;
  return sortOrder === 'asc'
    ? { ...matching, from: later(matching.from, time) }
    : { ...matching, to: earlier(matching.to, new Date(time.getTime() + 1)) };
}

const later = (a: Date, b: Date) => (a > b ? a : b);
const earlier = (a: Date, b: Date) => (a < b ? a : b);
