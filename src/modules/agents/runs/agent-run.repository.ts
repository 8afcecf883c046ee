import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { columnsOf, namesOf, typedRow } from '../../../platform/database/columns.js';
import { opaque, planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { exists, row, rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import type { MadeCall } from '../../gateway/gateway.service.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { selectAnswering } from '../definitions/agent-version.repository.js';
import { AgentRun, type AgentRunRow } from './agent-run.entity.js';
import type { Failure } from '../turns/turn.js';

type NewAgentRun = Pick<
  AgentRunRow,
  | 'id'
  | 'number'
  | 'projectId'
  | 'appId'
  | 'sessionId'
  | 'environment'
  | 'userId'
  | 'versionId'
  | 'jobId'
  | 'sinkName'
  | 'sinkRef'
  | 'channel'
  | 'isNewSession'
  | 'isStreamed'
>;

type RunOfSession = Pick<AgentRunRow, 'id' | 'sessionId'>;

/** How a run ended. */
interface RunEnd {
  /** Null if the run was completed. */
  failure: Failure | null;
  /** The time that the last attempt took. */
  activeMs: number;
}

/** A run that has begun or been resumed, with the state that it had before. */
export interface BegunRun extends AgentRunRow {
  /** The version that answers. Null if its agent has been deleted. */
  version: AnsweringVersion | null;
}

/** For a run that is found by its id. */
const IS_UNFINISHED = opaque('finished_at is null');
/**
 * For the runs of a session. Filters on `finished_at` and not on `state`, because the index on unfinished runs has this
 * condition. It is written when a run is added or finished, and not at each change of its state.
 */
const AMONG_UNFINISHED = raw('finished_at is null');

/** The statements of runs. A transaction that changes a run and its session locks the session first. */
export class AgentRunRepository extends EntityRepository<AgentRun> {
  byId(runId: Id<'agentRun'>): Statement<AgentRunRow | null> {
    return row(planned`select ${columnsOf(AgentRun)} from run where id = ${runId}`);
  }

  lock(runId: Id<'agentRun'>): Statement<AgentRunRow | null> {
    return row<AgentRunRow>(
      planned`select ${columnsOf(AgentRun)} from run where id = ${runId} for no key update`,
    ).taking('agentRun');
  }

  /** Finds the unfinished runs of a session, in the order of their turns. */
  unfinished(sessionId: Id<'session'>): Statement<AgentRunRow[]> {
    // The order is by `run.number`, which has an index. A bare `number` would be the selected value, cast to float8.
    return rows(
      planned`select ${columnsOf(AgentRun)} from run where session_id = ${sessionId} and ${AMONG_UNFINISHED}
              order by run.number`,
    );
  }

  /** Reserves the number of a session's next run, and counts the session's runs that are queued, running or suspended. */
  next(sessionId: Id<'session'>): Statement<{ number: number; waiting: number }> {
    return theRow(
      planned`select nextval(pg_get_serial_sequence('run', 'number'))::float8 as number, count(*)::integer as waiting
              from run where session_id = ${sessionId} and ${AMONG_UNFINISHED}`,
    );
  }

  /** Adds a run with a number that `next` reserved, so that other writes that contain the number can go with this one. */
  add(run: NewAgentRun): Statement<void> {
    const queued = {
      ...run,
      state: 'queued' as const,
      traceId: newId('trace'),
      observationId: newId('observation'),
      createdAt: clock.now(),
    };
    const names = namesOf(AgentRun, Object.keys(queued) as (keyof typeof queued)[]);
    return write(planned`insert into run (${names}) overriding system value select ${typedRow(AgentRun, queued)}`);
  }

  /** Marks the run as running. Answers the run as it was before, or null if it is finished. */
  begin(runId: Id<'agentRun'>): Statement<BegunRun | null> {
    return row<BegunRun>(
      planned`
      with locked as (select * from run where id = ${runId} and ${IS_UNFINISHED} for no key update),
      begun as (
        update run set state = 'running', is_resumed = false, started_at = coalesce(locked.started_at, ${clock.now()})
        from locked where run.id = locked.id)
      select ${columnsOf(AgentRun)},
        (select to_jsonb(answering) from (${selectAnswering(raw('run.version_id'))}) as answering) as version
      from locked as run`,
    ).taking('agentRun');
  }

  suspend(runId: Id<'agentRun'>, activeMs: number): Statement<void> {
    return this.change(runId, sql`state = 'suspended', active_ms = active_ms + ${Math.round(activeMs)}`);
  }

  resume(runId: Id<'agentRun'>): Statement<void> {
    return this.change(runId, sql`is_resumed = true`);
  }

  /**
   * Adds a call to the totals of the run. Answers false if the run is finished, because its totals no longer change.
   * The statement is not declared to lock the run: it locks nothing if the run is finished, and the caller may then
   * still lock the session.
   */
  addCall(runId: Id<'agentRun'>, call: MadeCall): Statement<boolean> {
    return exists(planned`update run set ${totalsWith(call)} where id = ${runId} and ${IS_UNFINISHED} returning id`);
  }

  /**
   * Adds a call as `addCall` does, after a write that locks the session. The update reads the number of rows that the
   * first write returned, which makes PostgreSQL run that write first and so take the locks in their order.
   */
  addCallAfter(first: Statement<void>, runId: Id<'agentRun'>, call: MadeCall): Statement<boolean> {
    return exists(planned`
      with first as (${first.sql} returning 1)
      update run set ${totalsWith(call)} where id = ${runId} and ${IS_UNFINISHED} and (select count(*) from first) >= 0
      returning id`).taking('session', 'agentRun');
  }

  /** Answers false if the session has been erased, and the run with it. */
  addToolCall(runId: Id<'agentRun'>): Statement<boolean> {
    return exists(planned`update run set tool_calls = tool_calls + 1 where id = ${runId} returning id`).taking(
      'agentRun',
    );
  }

  /** Locks the session before the run. Answers null if the run was finished already, or the session has been erased. */
  finish({ id, sessionId }: RunOfSession, { failure, activeMs }: RunEnd): Statement<AgentRunRow | null> {
    return row<AgentRunRow>(
      planned`
      with locked as (select from session where id = ${sessionId} for no key update)
      update run set state = ${failure ? 'failed' : 'completed'}, finished_at = ${clock.now()},
        error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null},
        used_fallback = ${failure !== null}, active_ms = active_ms + ${Math.round(activeMs)}
      where id = ${id} and ${IS_UNFINISHED} and exists (select from locked) returning ${columnsOf(AgentRun)}`,
    ).taking('session', 'agentRun');
  }

  private change(runId: Id<'agentRun'>, change: Sql): Statement<void> {
    return write(planned`update run set ${change} where id = ${runId}`).taking('agentRun');
  }
}

/** The status of the session after the run has ended. The caller has locked the session, so no run is added meanwhile. */
export function sessionStatusAfter({ sessionId, state }: AgentRunRow): Sql {
  return sql`case when exists (select from run where session_id = ${sessionId} and ${AMONG_UNFINISHED}) then 'busy'
             else ${state === 'failed' ? 'error' : 'idle'}::text end`;
}

function totalsWith({ inputTokens, outputTokens, cost }: MadeCall): Sql {
  return sql`llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric`;
}
