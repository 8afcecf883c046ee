import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../kernel/spans.js';
import type { Ask } from '../../../platform/database/reads.js';
import { CallRepository, type Segment } from '../call.repository.js';
import type { CallsWanted } from './calls-wanted.js';
import { isNarrowed, type Matching } from './matching.js';
import type { PagePath, PageWanted, Position } from './page-path.js';

/** So many rows are read and sorted sooner than the index of an order is walked past many that do not match. */
const FEW = 10_000;
/** Of sessions, which may lie far off in the window; but who goes on from page to page reads what is left each time. */
const FEW_OF_SESSIONS = 100_000;
/** So many rows are skipped sooner than they are counted. */
const NEAR = 1_000;

export const isNear = (offset: number) => offset <= NEAR;

/** Finds the calls of a request: which combinations match, how many calls, and the way to the rows of a page. */
@Injectable()
export class CallSearch {
  constructor(private readonly calls: CallRepository) {}

  /** Looks up once which combinations of filter values match, for all that is asked of them. */
  async matching(ask: Ask, { filter, ...wanted }: CallsWanted): Promise<Matching> {
    if (!filter) return { ...wanted, dims: null };
    return { ...wanted, dims: { ids: await ask(this.calls.matchingDims(wanted.projectId, filter)), filter } };
  }

  async total(ask: Ask, matching: Matching): Promise<number> {
    return matching.dims?.ids.length === 0 ? 0 : ask(this.calls.total(matching));
  }

  /** How the rows of a page are found, given how many match in all. */
  async path(ask: Ask, matching: Matching, page: PageWanted, total: number, after?: Position): Promise<PagePath> {
    // Nobody reads past all that match.
    if (!after && page.offset >= total) return { way: 'walk', matching, page: { ...page, limit: 0, offset: 0 } };
    const few = matching.sessionIds && !after ? FEW_OF_SESSIONS : FEW;
    const isSorted = total <= few && (isNarrowed(matching) || page.sortBy !== 'timestamp');
    const way = isSorted ? 'sort' : 'walk';
    if (after) return { way, matching: windowBehind(matching, page, after), page, after };
    const hasSums = page.sortBy === 'timestamp' && !matching.sessionIds;
    if (isSorted || !hasSums || isNear(page.offset)) return { way, matching, page };
    return this.seek(ask, matching, page);
  }

  /** A page far from the begin: by the sums it is known in which hour it starts, and how much of that to skip. */
  private async seek(ask: Ask, matching: Matching, page: PageWanted): Promise<PagePath> {
    const isForwards = page.sortOrder === 'asc';
    let skip = page.offset;
    const startIn = (segments: Segment[]): Segment => {
      for (const segment of isForwards ? segments : segments.toReversed()) {
        if (skip < segment.count) return segment;
        skip -= segment.count;
      }
      throw new Error('The sums are fewer than the calls');
    };
    let start = startIn(await ask(this.calls.segments(matching)));
    if (start.to.getTime() - start.from.getTime() === DAY_MS) {
      start = startIn(await ask(this.calls.hoursOf(matching, start)));
    }
    const rest = isForwards ? { from: start.from } : { to: start.to };
    const way = isNarrowed(matching) ? 'walk' : 'skip';
    return { way, matching: { ...matching, ...rest }, page: { ...page, offset: skip } };
  }
}

/** Sorted by time, what is left of the window. */
function windowBehind(matching: Matching, { sortBy, sortOrder }: PageWanted, { time }: Position): Matching {
  if (sortBy !== 'timestamp') return matching;
  return sortOrder === 'asc'
    ? { ...matching, from: later(matching.from, time) }
    : { ...matching, to: earlier(matching.to, new Date(time.getTime() + 1)) };
}

const later = (a: Date, b: Date) => (a > b ? a : b);
const earlier = (a: Date, b: Date) => (a < b ? a : b);
