import type { Matching } from './matching.js';

export interface PageWanted {
  sortBy: 'timestamp' | 'latencyMs' | 'cost' | 'totalTokens';
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Where a page ends: its last call. */
export interface Position {
  /** What the page is sorted by; 0 where that is the time. */
  value: number;
  time: Date;
  id: string;
}

/**
 * The way to the rows of a page.
 * - `walk`: along the index of the order, past what does not match; for a page of many that match.
 * - `skip`: the same with many to skip, of which only the index is read.
 * - `sort`: all that match are read and sorted; for a page of few.
 */
export interface PagePath {
  way: 'walk' | 'skip' | 'sort';
  matching: Matching;
  page: PageWanted;
  /** The page begins behind it. */
  after?: Position;
}
