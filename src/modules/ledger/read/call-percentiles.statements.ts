import type { Span } from '../../../kernel/spans.js';
import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { matchingRowsBetween } from './call-matching.statements.js';
import type { Matching } from './matching.js';

const PERCENTILES = raw('percentile_disc(array[0.5, 0.95, 0.99])');

/**
 * Counts the matching calls of each span, and computes exact percentiles of their times. Each span is read by the index
 * of its rows and sorted alone: sorting the calls of the whole window would not fit into the memory of one sort.
 */
export function percentilesOf(matching: Matching, spans: readonly Span[]): Sql {
  const { projectId } = matching;
  return sql`
    select found.*
    from unnest(${spans.map(({ from }) => from.toISOString())}::timestamptz[], ${spans.map(({ to }) => to.toISOString())}::timestamptz[])
      with ordinality as span (begins, ends, place)
    cross join lateral (
      select count(*)::float8 as calls,
             count(*) filter (where r.dim in (
               select dim from ledger_dim where project_id = ${projectId} and status = 'failed'))::float8 as failed,
             ${PERCENTILES} within group (order by r.latency_ms) as "latencyMs",
             ${PERCENTILES} within group (order by r.first_token_ms) as "timeToFirstTokenMs"
      from ledger_row r where ${matchingRowsBetween(matching, sql`span.begins`, sql`span.ends`)}) found
    order by span.place`;
}
