import type { Span } from '../../../kernel/spans.js';
import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { DIM_COLUMNS } from './call-groups.statements.js';
import { hasValues, matchingRowsBetween } from './call-matching.statements.js';
import { type CallsOfProjects, selectedProjects } from './installation-sums.statements.js';
import type { Divided } from './ledger-summary.schema.js';
import type { Matching } from './matching.js';

/** The groups whose percentiles are wanted. */
export interface GroupsWanted {
  groupBy: Divided;
  groups: readonly string[];
}

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

/** Does the same for all matching calls and for those of each of some groups, and reads each call once. */
export function percentilesByGroup(matching: Matching, spans: readonly Span[], wanted: GroupsWanted): Sql {
  return bySpan(
    spans,
    byGroup(
      wanted,
      sql`
        ledger_row r
        join ledger_dim d on d.project_id = ${matching.projectId} and d.dim = r.dim
        where ${matchingRowsBetween(matching, sql`span.begins`, sql`span.ends`)}`,
    ),
  );
}

/**
 * Counts the matching calls of several projects by span, and computes exact percentiles of their times. A span without such
 * calls has no row.
 */
export function percentilesOfAll(calls: CallsOfProjects, spans: readonly Span[]): Sql {
  return sql`
    select place, ${timesOf(sql`r.status = 'failed'`)}
    from (${callsOfAll(calls, spans, sql`d.status`)}) r
    group by place order by place`;
}

/** Does the same for all matching calls and for those of each of some groups, and reads each call once. */
export function percentilesOfAllByGroup(calls: CallsOfProjects, spans: readonly Span[], wanted: GroupsWanted): Sql {
  return sql`
    select place, r.key as "group", ${timesOf(sql`r.status = 'failed'`)}
    from (${callsOfAll(calls, spans, sql`${keyOf(wanted)} as key, d.status`)}) r
    group by grouping sets ((place), (place, r.key)) having ${isAllOrGroup()} order by place`;
}

/**
 * Selects the calls of several projects with the place of the span in which each is, and with some columns of their
 * combinations. They are read project by project, because the index of rows by time begins with the project. The offset
 * makes it a query of its own, which a Citus cluster asks its workers: it could not compute the percentiles there. A call's
 * combination is written so that PostgreSQL cannot look up the calls of each combination, which takes many times as long.
 */
function callsOfAll({ projectIds, filter }: CallsOfProjects, spans: readonly Span[], columns: Sql): Sql {
  const [begins, end] = [spans.map(({ from }) => from.toISOString()), spans.at(-1)!.to];
  return sql`
    select width_bucket(r.ts, ${begins}::timestamptz[]) as place, ${columns}, r.latency_ms, r.first_token_ms
    from ${selectedProjects(projectIds)}
    join ledger_row r on r.project_id = p.id and r.ts >= ${spans[0]!.from}::timestamptz and r.ts < ${end}::timestamptz
    join ledger_dim d on d.project_id = p.id and d.dim = coalesce(r.dim, r.dim)
    ${filter ? sql`where ${hasValues(filter)}` : sql``}
    offset 0`;
}

/** Selects from rows `r` with their combinations `d`: from all of them, whose group is null, and from each group. */
function byGroup(wanted: GroupsWanted, calls: Sql): Sql {
  return sql`
    select r.key as "group", ${timesOf(sql`r.status = 'failed'`)}
    from (select ${keyOf(wanted)} as key, d.status, r.latency_ms, r.first_token_ms from ${calls}) r
    group by grouping sets ((), (r.key)) having ${isAllOrGroup()}`;
}

/** The key of the group of a combination `d`, or null if that group is not wanted. */
function keyOf({ groupBy, groups }: GroupsWanted): Sql {
  const key = DIM_COLUMNS[groupBy];
  return sql`case when ${key} = any(${groups}::text[]) then ${key} end`;
}

/** The condition that a set of rows `r` has all calls, or those of a wanted group. */
function isAllOrGroup(): Sql {
  return sql`(grouping(r.key) = 1 or r.key is not null)`;
}

/**
 * Selects from each span, in order of time. Each is read by the index of its rows and sorted alone: sorting the calls of
 * the whole window would not fit into the memory of one sort.
 */
function bySpan(spans: readonly Span[], selected: Sql): Sql {
  const [begins, ends] = [spans.map(({ from }) => from.toISOString()), spans.map(({ to }) => to.toISOString())];
  return sql`
    select span.place::int4 as place, found.*
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
