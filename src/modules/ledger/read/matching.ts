import type { Span } from '../../../kernel/spans.js';
import type { DimFilter } from './calls-wanted.js';

/** The combinations of filter values that match a filter, by their hashes, and the filter itself. */
export interface Dims {
  ids: string[];
  filter: DimFilter;
}

/** The calls of a project in a window that have one of these combinations and one of these sessions. Null means all. */
export interface Matching extends Span {
  projectId: string;
  dims: Dims | null;
  sessionIds: string[] | null;
}

/** Whether there is any filter. Otherwise all calls of the window match. */
export function isNarrowed({ dims, sessionIds }: Matching): boolean {
  return dims !== null || sessionIds !== null;
}

/**
 * Above this number, a list of all hashes in a statement is slower than a subquery. Only unusual traffic has as many.
 */
const MANY_DIMS = 1_000;

export function areMany({ ids }: Dims): boolean {
  return ids.length > MANY_DIMS;
}
