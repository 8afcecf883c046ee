import type { Ask } from '../../platform/database/reads.js';
import type { CallsWanted } from './calls-wanted.js';
import { totalOf } from './store.counts.js';
import { type Matching, matchingDims } from './store.matching.js';

/** Which combinations of filter values match, looked up once for all that is asked of them. */
export async function matchingOf(ask: Ask, wanted: CallsWanted): Promise<Matching> {
  if (!wanted.filter) return { ...wanted, dims: null };
  const query = matchingDims(wanted, wanted.filter);
  const found = await ask<{ dim: string }>(query);
  return { ...wanted, dims: { ids: found.map(({ dim }) => dim), query } };
}

export async function countMatching(ask: Ask, matching: Matching): Promise<number> {
  if (matching.dims?.ids.length === 0) return 0;
  const [counted] = await ask<{ total: number }>(totalOf(matching));
  return counted!.total;
}
