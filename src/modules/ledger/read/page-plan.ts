import type { Matching } from './matching.js';

export interface PageWanted {
  sortBy: 'timestamp' | 'latencyMs' | 'cost' | 'totalTokens';
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** The position of a call in the order of a list. The next page begins after the last call of this one. */
export interface Position {
  /** The value that the list is sorted by; 0 if that is the time. */
  value: number;
  time: Date;
  id: string;
}

/**
 * How the rows of a page are read.
 * - `walk` reads the index of the order and passes rows that do not match. It is best if many calls match.
 * - `skip` is for a large offset without filters. It reads only the index for the rows before the page.
 * - `sort` reads and sorts all matching rows. It is best if few calls match.
 */
export interface PagePlan {
  strategy: 'walk' | 'skip' | 'sort';
  matching: Matching;
  page: PageWanted;
  /** The page begins after this position. Without it, the page begins at its offset. */
  after?: Position;
}
