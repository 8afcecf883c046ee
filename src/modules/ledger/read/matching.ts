import type { Span } from '../../../kernel/spans.js';
import type { DimFilter } from './calls-wanted.js';

/** Combinations of filter values: which they are, and how they are found. */
export interface Dims {
  ids: string[];
  filter: DimFilter;
}

/** Calls of a project, narrowed down to combinations of filter values, or to sessions, or both; null is all. */
export interface Matching extends Span {
  projectId: string;
  dims: Dims | null;
  sessionIds: string[] | null;
}

/** To some combinations or sessions; otherwise all calls of the window match. */
export function isNarrowed({ dims, sessionIds }: Matching): boolean {
  return dims !== null || sessionIds !== null;
}

/** Where traffic does not repeat itself there are thousands. */
const MANY_DIMS = 1_000;

export function areMany({ ids }: Dims): boolean {
  return ids.length > MANY_DIMS;
}
