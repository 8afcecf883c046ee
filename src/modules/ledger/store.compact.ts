import { type Sql, sql } from '../../platform/database/sql.js';

/**
 * Adds up the sums that were appended for the same bucket. Only what this statement itself has deleted goes into the
 * new sum, so that two of them at once, or a reader beside them, are as exact as ever. Answers how many it took.
 */
export function compactSums(most: number): Sql {
  return sql`
    with appended as (
      select distinct project_id, grain, dim, bucket
      from (select * from ledger_rollup where is_new limit ${most}) new),
    taken as (
      delete from ledger_rollup s using appended a
      where s.project_id = a.project_id and s.grain = a.grain and s.dim = a.dim and s.bucket = a.bucket
      returning s.*),
    added_up as (
      insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens,
                                 completion_tokens, reasoning_tokens, latency_ms, cost)
      select project_id, bucket, dim, grain, false, sum(n), sum(input_tokens), sum(cached_tokens),
             sum(completion_tokens), sum(reasoning_tokens), sum(latency_ms), sum(cost)
      from taken group by project_id, bucket, dim, grain
      having sum(n) <> 0 or sum(cost) <> 0)
    select count(*)::integer as taken from taken`;
}
