import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, newRows, someColumnsOf } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { asOne, row, rows, type Statement, theRow, write } from '../../platform/database/statement.js';
import { Observation } from './observation.entity.js';
import { type Observed, toNewRow } from './observed.js';
import { Trace, type TraceRow } from './trace.entity.js';
import {
  type FoundTrace,
  type SearchedTrace,
  searchTraces,
  summaryOf,
  type TracesWanted,
} from './trace-search.statements.js';

/** The numbers of deleted rows. */
export interface DeletedTraces {
  traces: number;
  observations: number;
}

export class TraceRepository extends EntityRepository<Trace> {
  /**
   * Writes observations and their traces, and returns the session of each trace. A known observation is not changed. A
   * known trace is extended to the new times, and keeps the first session that was sent. Traces are written in order,
   * so that two concurrent writers cannot deadlock.
   */
  record(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Statement<Map<Id<'trace'>, string>> {
    return asOne([this.addObservations(projectId, observed)], this.addOrExtendTraces(projectId, appId, observed));
  }

  /** Returns the same writes separately, for a caller that combines them with others in one statement. */
  writes(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): [Statement<void>, Statement<Map<Id<'trace'>, string>>] {
    return [this.addObservations(projectId, observed), this.addOrExtendTraces(projectId, appId, observed)];
  }

  private addObservations(projectId: Id<'project'>, observed: readonly Observed[]): Statement<void> {
    const added = newRows(
      Observation,
      observed.map((one) => toNewRow(projectId, one)),
    );
    return write(
      planned`insert into observation ${added} order by trace_id collate "C", id collate "C" on conflict do nothing`,
    );
  }

  private addOrExtendTraces(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Statement<Map<Id<'trace'>, string>> {
    const column = <T>(read: (one: Observed) => T) => observed.map(read);
    const query = planned`
      with pieces as (
        select * from unnest(
          ${column(({ traceId }) => traceId)}::text[], ${column(({ sessionId }) => sessionId)}::text[],
          ${column(({ startedAt }) => startedAt)}::timestamptz[], ${column(({ endedAt }) => endedAt)}::timestamptz[],
          ${column(({ otel }) => otel?.traceId ?? null)}::text[]
        ) as piece (trace_id, session_id, started_at, ended_at, otel_id))
      insert into trace (project_id, id, app_id, session_id, started_at, ended_at, otel_id)
      select ${projectId}, trace_id, ${appId}::text, coalesce(min(nullif(session_id, '')), ''), min(started_at),
             max(ended_at), min(otel_id)
      from pieces group by trace_id order by trace_id collate "C"
      on conflict (project_id, id) do update set
        session_id = coalesce(nullif(trace.session_id, ''), excluded.session_id),
        started_at = least(trace.started_at, excluded.started_at),
        ended_at = greatest(trace.ended_at, excluded.ended_at),
        otel_id = coalesce(trace.otel_id, excluded.otel_id)
      returning ${someColumnsOf(Trace, ['id', 'sessionId'])}`;
    return rows<Pick<TraceRow, 'id' | 'sessionId'>>(query).as(
      (traces) => new Map(traces.map(({ id, sessionId }) => [id, sessionId])),
    );
  }

  countOfSession(projectId: Id<'project'>, sessionId: string): Statement<number> {
    return theRow<{ total: number }>(
      sql`select count(*)::integer as total from trace where project_id = ${projectId} and session_id = ${sessionId}`,
    ).as(({ total }) => total);
  }

  /** Returns a page of the session's traces in the order in which they began. */
  ofSession(projectId: Id<'project'>, sessionId: string, offset: number, limit: number): Statement<TraceRow[]> {
    return rows(sql`
      select ${columnsOf(Trace)} from trace where project_id = ${projectId} and session_id = ${sessionId}
      order by started_at, id offset ${offset} limit ${limit}`);
  }

  /** A trace of the app, with what is derived from its observations. */
  one(projectId: Id<'project'>, appId: Id<'app'>, traceId: Id<'trace'>): Statement<FoundTrace | null> {
    return row(sql`
      select ${columnsOf(Trace, 't')}, summary.*
      from trace t cross join lateral (${summaryOf(projectId, sql`t.id`)}) summary
      where t.project_id = ${projectId} and t.id = ${traceId} and t.app_id = ${appId}`);
  }

  /** The next traces of the app, the latest first. */
  search(wanted: TracesWanted): Statement<SearchedTrace[]> {
    return rows(searchTraces(wanted));
  }

  deleteOfSession(projectId: Id<'project'>, sessionId: string): Statement<DeletedTraces> {
    return theRow(sql`
      with gone as (
        delete from trace where project_id = ${projectId} and session_id = ${sessionId} returning id),
      observations as (
        delete from observation o using gone where o.project_id = ${projectId} and o.trace_id = gone.id returning o.id)
      select (select count(*)::integer from gone) as traces,
             (select count(*)::integer from observations) as observations`);
  }
}
