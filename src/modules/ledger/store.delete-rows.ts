import { type Sql, sql } from '../../platform/database/sql.js';
import { ALL_CALLS } from './store.counts.js';
import { nextMonth, partitionName } from './partitions.js';

/** Deletes the oldest rows of a project before a time, and takes from the sums what they had added. */
export function deleteRows(projectId: string, before: Date, most: number): Sql {
  return sql`
    with due as (
      select ts, n from ledger_row where project_id = ${projectId} and ts < ${before}::timestamptz order by ts limit ${most}),
    gone as (
      delete from ledger_row r using due
      where r.project_id = ${projectId} and r.ts = due.ts and r.n = due.n
      returning r.*),
    payloads as (
      delete from ledger_payload p using gone
      where p.project_id = ${projectId} and p.n = gone.n and p.ts = gone.ts),
    sums as (
      insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens,
                                 completion_tokens, reasoning_tokens, latency_ms, cost)
      select ${projectId}, bucket, coalesce(dim, ${ALL_CALLS}), grain, true, -count(*),
             -sum(input_tokens), -sum(cached_tokens), -sum(completion_tokens), -sum(reasoning_tokens),
             -sum(latency_ms), -sum(cost)
      from gone, lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
                 as grains (grain, bucket)
      group by grouping sets ((grain, bucket, dim), (grain, bucket)))
    select count(*)::integer as count from gone`;
}

/**
 * Takes a month away whole. Nobody reads or writes rows meanwhile; what the month had added to the sums is added once
 * more with the other sign, so that it does not matter whether they are just being compacted.
 */
export function dropRowsOfMonth(month: string): string {
  const partition = partitionName('ledger_row', month);
  return `
    do $$ begin
      alter table ledger_row detach partition ${partition};
      insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens,
                                 completion_tokens, reasoning_tokens, latency_ms, cost)
      select project_id, bucket, dim, grain, true, -sum(n), -sum(input_tokens), -sum(cached_tokens),
             -sum(completion_tokens), -sum(reasoning_tokens), -sum(latency_ms), -sum(cost)
      from ledger_rollup where bucket >= '${month}-01Z' and bucket < '${nextMonth(month)}-01Z'
      group by project_id, bucket, dim, grain;
      delete from ledger_key where ts >= '${month}-01Z' and ts < '${nextMonth(month)}-01Z';
      drop table ${partition};
    end $$`;
}
