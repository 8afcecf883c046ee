import type { Id } from '../../kernel/ids.js';
import type { Span } from '../../kernel/spans.js';
import { columnsOf } from '../../platform/database/columns.js';
import { join, type Sql, sql } from '../../platform/database/sql.js';
import { Trace, type TraceRow } from './trace.entity.js';

/** The last trace of a page: when it began, in microseconds since 1970, and its id. The next page begins after it. */
export interface TracePosition {
  startedAt: number;
  id: string;
}

export interface TracesWanted extends Span {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  sessionId: string | null;
  /** Filters on the observations of a trace. Null means that the request has no such filter. */
  name: string | null;
  status: string | null;
  spanId: string | null;
  after: TracePosition | null;
  limit: number;
}

/** A trace with what is derived from its observations. */
export interface FoundTrace extends TraceRow {
  name: string;
  status: 'success' | 'failed';
  observationCount: number;
}

/** A trace that a search has examined. */
export interface SearchedTrace extends FoundTrace {
  microseconds: number;
  isMatch: boolean;
  /** True for the last trace that the search may examine. */
  isLast: boolean;
}

/** No index covers what observations contain, so a search examines this many traces for one page at most. */
const MAX_EXAMINED = 1_000;

/**
 * Reads the traces of the app or the session along their index, the latest first, and examines the observations of
 * each. Returns the traces that match, up to one more than the page has, and the last one that it examined.
 */
export function searchTraces(wanted: TracesWanted): Sql {
  const { projectId, appId, from, to, sessionId, after, limit } = wanted;
  const isMatch = matches(wanted);
  const maxExamined = isMatch ? MAX_EXAMINED : limit + 1;
  const conditions = [
    sql`t.project_id = ${projectId} and t.app_id = ${appId}`,
    sql`t.started_at >= ${from}::timestamptz and t.started_at < ${to}::timestamptz`,
    ...(sessionId === null ? [] : [sql`t.session_id = ${sessionId}`]),
    ...(after ? [isAfter(after)] : []),
  ];
  return sql`
    with examined as (
      select ${columnsOf(Trace, 't')}, (extract(epoch from t.started_at) * 1000000)::float8 as microseconds,
             (row_number() over (order by t.started_at desc, t.id desc))::integer as place
      from trace t where ${join(conditions, ' and ')}
      order by t.started_at desc, t.id desc limit ${maxExamined})
    select t.*, summary.*, match."isMatch", t.place = ${maxExamined}::integer as "isLast"
    from examined t
    cross join lateral (${summaryOf(projectId, sql`t.id`)}) summary
    cross join lateral (select ${isMatch ?? sql`true`} as "isMatch") match
    where match."isMatch" or t.place = ${maxExamined}::integer
    order by t.place limit ${limit + 1}`;
}

/** A trace has the name of its top observation, and has failed if any of its observations has. */
export function summaryOf(projectId: Id<'project'>, traceId: Sql): Sql {
  return sql`
    select coalesce((array_agg(o.name order by o.started_at, o.ended_at desc, o.id) filter (where parent.id is null))[1],
                    '') as name,
           case when bool_or(o.status = 'failed') then 'failed' else 'success' end as status,
           count(*)::integer as "observationCount"
    from observation o left join observation parent
      on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
    where o.project_id = ${projectId} and o.trace_id = ${traceId}`;
}

/** The condition on the observations of a trace; null if there is none. */
function matches({ projectId, name, status, spanId }: TracesWanted): Sql | null {
  const conditions = [
    ...(name === null ? [] : [sql`summary.name = ${name}`]),
    ...(status === null ? [] : [sql`summary.status = ${status}`]),
    ...(spanId === null ? [] : [hasSpan(projectId, spanId)]),
  ];
  return conditions.length > 0 ? join(conditions, ' and ') : null;
}

function hasSpan(projectId: Id<'project'>, spanId: string): Sql {
  return sql`
    exists (select from observation o where o.project_id = ${projectId} and o.trace_id = t.id and o.otel_id = ${spanId})`;
}

/**
 * The first condition follows from the second. Without it PostgreSQL begins at the end of the window, not at the
 * position.
 */
function isAfter(after: TracePosition): Sql {
  const time = timeOf(after);
  return sql`t.started_at <= ${time} and (t.started_at, t.id) < (${time}, ${after.id})`;
}

/** Counted in microseconds, because a date of JavaScript has milliseconds only. */
function timeOf({ startedAt }: TracePosition): Sql {
  return sql`timestamptz 'epoch' + ${startedAt}::float8 * interval '1 microsecond'`;
}
