import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsWith } from '../../platform/database/columns.js';
import { raw, type Sql, sql } from '../../platform/database/sql.js';
import { rows, type Statement } from '../../platform/database/statement.js';
import { Observation, type ObservationRow } from './observation.entity.js';

/** An observation whose input and output may have been left out. */
export interface ReadObservation extends ObservationRow {
  /** False if its input and output did not fit into the size limit. */
  isWhole: boolean;
}

/** The status message of a call whose caller did not wait for the end of its answer. */
export const CALLER_LEFT = 'The caller left before the answer was complete.';

/** The failed calls of one model. */
export interface FailedCalls {
  /** The name of the model at its provider. */
  model: string;
  /** The id of the model; null for calls that failed without its fault. */
  failedModelId: string | null;
  /** Whether the callers left. Otherwise, the model or its provider failed or refused the calls. */
  callersLeft: boolean;
  calls: number;
  /** Whether another call of a model with this name has succeeded. */
  hasSucceeded: boolean;
}

export class ObservationRepository extends EntityRepository<Observation> {
  /**
   * Returns at most `limit` observations of each trace. Children of a parent that has not arrived have no parent here,
   * so that they stand at the top of the tree.
   */
  ofTraces(
    projectId: Id<'project'>,
    traceIds: readonly Id<'trace'>[],
    limit: number,
    calls: Calls,
  ): Statement<ObservationRow[]> {
    const replaced = { parentId: raw('parent.id'), input: textOf(calls, 'input'), output: textOf(calls, 'output') };
    return rows(sql`
      select found.* from unnest(${traceIds}::text[]) as wanted (trace_id), lateral (
        select ${columnsWith(Observation, replaced, 'o')}
        from observation o left join observation parent
          on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
        where o.project_id = ${projectId} and o.trace_id = wanted.trace_id
        order by o.started_at, o.ended_at desc, o.id limit ${limit}) found`);
  }

  /** Returns the observations of one trace. Texts are left out after the first `maxBytes` bytes of them. */
  ofTrace(
    projectId: Id<'project'>,
    traceId: Id<'trace'>,
    limit: number,
    maxBytes: number,
    calls: Calls,
  ): Statement<ReadObservation[]> {
    const fits = sql`o.bytes_to_here <= ${maxBytes}`;
    const kept = (column: 'input' | 'output') => sql`case when ${fits} then ${textOf(calls, column)} end`;
    const replaced = { parentId: raw('o.known_parent'), input: kept('input'), output: kept('output') };
    return rows(sql`
      select ${columnsWith(Observation, replaced, 'o')}, ${fits} or (o.input is null and o.output is null) as "isWhole"
      from (
        select *, sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0))
                  over (order by started_at, ended_at desc, id) as bytes_to_here
        from (
          select o.*, parent.id as known_parent
          from observation o left join observation parent
            on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
          where o.project_id = ${projectId} and o.trace_id = ${traceId}
          order by o.started_at, o.ended_at desc, o.id limit ${limit}) first) o
      order by o.started_at, o.ended_at desc, o.id`);
  }

  /** Counts the failed calls that the service itself made. Those of others came over OpenTelemetry. */
  failedCalls(projectId: Id<'project'>, since: Date): Statement<FailedCalls[]> {
    const own = sql`
      project_id = ${projectId} and started_at >= ${since}::timestamptz and kind = 'GENERATION' and otel_id is null`;
    return rows(sql`
      select model, failed_model_id as "failedModelId", callers_left as "callersLeft", calls, exists (
        select from observation succeeded
        where ${own} and status = 'success' and succeeded.model = failed.model) as "hasSucceeded"
      from (
        select model, failed_model_id, status_message = ${CALLER_LEFT} as callers_left, count(*)::int as calls
        from observation where ${own} and status = 'failed' group by model, failed_model_id, callers_left) failed
      order by calls desc, model, failed_model_id, callers_left`);
  }
}

/** Whether prompts and answers of model calls are returned. */
type Calls = 'with texts' | 'without texts';

function textOf(calls: Calls, column: 'input' | 'output'): Sql {
  const text = raw(`o.${column}`);
  return calls === 'with texts' ? text : sql`case when o.kind = 'GENERATION' then null else ${text} end`;
}
