import type { Span } from '../../../kernel/spans.js';
import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { hasValues, matchingRowsBetween } from './call-matching.statements.js';
import type { DimFilter } from './calls-wanted.js';
import type { Matching } from './matching.js';

const PERCENTILES = raw('percentile_disc(array[0.5, 0.95, 0.99])');

/** Counts the matching calls of each span, and computes exact percentiles of their times. */
export function percentilesOf(matching: Matching, spans: readonly Span[]): Sql {
  const { projectId } = matching;
  const failed = sql`r.dim in (select dim from ledger_dim where project_id = ${projectId} and status = 'failed')`;
  return bySpan(
    spans,
    sql`
      select ${timesOf(failed)}
      from ledger_row r where ${matchingRowsBetween(matching, sql`span.begins`, sql`span.ends`)}`,
  );
}

/**
 * Counts the matching calls of all projects, and computes exact percentiles of their times. They are read project by project, because the index of rows by time
 * begins with the project.
 */
export function percentilesOfAll(filter: DimFilter | null, spans: readonly Span[]): Sql {
  return bySpan(
    spans,
    sql`
      select ${timesOf(sql`d.status = 'failed'`)}
      from project p
      cross join lateral (
        select dim, latency_ms, first_token_ms from ledger_row
        where project_id = p.id and ts >= span.begins and ts < span.ends) r
      join ledger_dim d on d.project_id = p.id and d.dim = r.dim
      ${filter ? sql`where ${hasValues(filter)}` : sql``}`,
  );
}

/**
 * Selects from each span, in order of time. Each is read by the index of its rows and sorted alone: sorting the calls of
 * the whole window would not fit into the memory of one sort.
 */
function bySpan(spans: readonly Span[], selected: Sql): Sql {
  const [begins, ends] = [spans.map(({ from }) => from.toISOString()), spans.map(({ to }) => to.toISOString())];
  return sql`
    select found.*
    from unnest(${begins}::timestamptz[], ${ends}::timestamptz[]) with ordinality as span (begins, ends, place)
    cross join lateral (${selected}) found
    order by span.place`;
}

/** The columns of `CallTimes`, from rows `r` of which those that match a condition have failed. */
function timesOf(failed: Sql): Sql {
  return sql`
    count(*)::float8 as calls, count(*) filter (where ${failed})::float8 as failed,
    ${PERCENTILES} within group (order by r.latency_ms) as "latencyMs",
    ${PERCENTILES} within group (order by r.first_token_ms) as "timeToFirstTokenMs"`;
}
