import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { columnsOf, namesOf, typedRow } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
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
  /** Null where it was completed. */
  failure: Failure | null;
  /** The time that this attempt was at work. */
  activeMs: number;
}

/** A run at work, as it was before it began or went on. */
export interface BegunRun extends AgentRunRow {
  /** Who answers; null where the agent has been deleted. */
  version: AnsweringVersion | null;
}

/** Not on its state: the index that finds the runs of a session which are not over would be written at each change. */
const IS_ALIVE = raw('finished_at is null');

/** The statements behind runs. Whoever changes a run and its session locks the session first. */
export class AgentRunRepository extends EntityRepository<AgentRun> {
  byId(runId: Id<'agentRun'>): Statement<AgentRunRow | null> {
    return row(planned`select ${columnsOf(AgentRun)} from run where id = ${runId}`);
  }

  lock(runId: Id<'agentRun'>): Statement<AgentRunRow | null> {
    return row<AgentRunRow>(
      planned`select ${columnsOf(AgentRun)} from run where id = ${runId} for no key update`,
    ).taking('agentRun');
  }

  /** Those of a session that are not over, in the order of their turns. */
  alive(sessionId: Id<'session'>): Statement<AgentRunRow[]> {
    // Orders by the column, which has an index: `number` alone is the float8 that the row has.
    return rows(
      planned`select ${columnsOf(AgentRun)} from run where session_id = ${sessionId} and ${IS_ALIVE}
              order by run.number`,
    );
  }

  /** The number of a session's next run, and how many of it are not over: they wait, are at work or are suspended. */
  next(sessionId: Id<'session'>): Statement<{ number: number; waiting: number }> {
    return theRow(
      planned`select nextval(pg_get_serial_sequence('run', 'number'))::float8 as number, count(*)::integer as waiting
              from run where session_id = ${sessionId} and ${IS_ALIVE}`,
    );
  }

  /** With a number that was asked for before: what else is written of the run then need not wait for it. */
  add(run: NewAgentRun): Statement<void> {
    const made = {
      ...run,
      state: 'queued' as const,
      traceId: newId('trace'),
      observationId: newId('observation'),
      createdAt: clock.now(),
    };
    const given = Object.keys(made) as (keyof typeof made)[];
    return write(
      planned`insert into run (${namesOf(AgentRun, given)}) overriding system value select ${typedRow(AgentRun, made)}`,
    );
  }

  /** It is at work from now on. Answers with the run as it was before, or with null where it is over. */
  begin(runId: Id<'agentRun'>): Statement<BegunRun | null> {
    return row<BegunRun>(
      planned`
      with held as (select * from run where id = ${runId} and ${IS_ALIVE} for no key update),
      begun as (
        update run set state = 'running', is_resumed = false, started_at = coalesce(held.started_at, ${clock.now()})
        from held where run.id = held.id)
      select ${columnsOf(AgentRun)},
        (select to_jsonb(answering) from (${selectAnswering(raw('run.version_id'))}) as answering) as version
      from held as run`,
    ).taking('agentRun');
  }

  suspend(runId: Id<'agentRun'>, activeMs: number): Statement<void> {
    return this.change(runId, sql`state = 'suspended', active_ms = active_ms + ${Math.round(activeMs)}`);
  }

  resume(runId: Id<'agentRun'>): Statement<void> {
    return this.change(runId, sql`is_resumed = true`);
  }

  /**
   * False where the run is over, and counts no more. Is not marked as taking the lock of the run: where the run is over
   * it locks nothing, and its caller may still lock the session.
   */
  addCall(runId: Id<'agentRun'>, call: MadeCall): Statement<boolean> {
    return exists(planned`update run set ${plus(call)} where id = ${runId} and ${IS_ALIVE} returning id`);
  }

  /** The same behind a write that locks the session: reading its count, the update waits until that has been done. */
  addCallBehind(first: Statement<void>, runId: Id<'agentRun'>, call: MadeCall): Statement<boolean> {
    return exists(planned`
      with first as (${first.sql} returning 1)
      update run set ${plus(call)} where id = ${runId} and ${IS_ALIVE} and (select count(*) from first) >= 0
      returning id`).taking('session', 'agentRun');
  }

  /** False where its session has been erased. */
  addToolCall(runId: Id<'agentRun'>): Statement<boolean> {
    return exists(planned`update run set tool_calls = tool_calls + 1 where id = ${runId} returning id`).taking(
      'agentRun',
    );
  }

  /** Null where it was over already, or its session has been erased. Locks the session before the run. */
  finish({ id, sessionId }: RunOfSession, { failure, activeMs }: RunEnd): Statement<AgentRunRow | null> {
    return row<AgentRunRow>(
      planned`
      with locked as (select from session where id = ${sessionId} for no key update)
      update run set state = ${failure ? 'failed' : 'completed'}, finished_at = ${clock.now()},
        error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null},
        used_fallback = ${failure !== null}, active_ms = active_ms + ${Math.round(activeMs)}
      where id = ${id} and ${IS_ALIVE} and exists (select from locked) returning ${columnsOf(AgentRun)}`,
    ).taking('session', 'agentRun');
  }

  private change(runId: Id<'agentRun'>, change: Sql): Statement<void> {
    return write(planned`update run set ${change} where id = ${runId}`).taking('agentRun');
  }
}

/** How the session is after the run: for who has locked it, so that no run is added meanwhile. */
export function sessionStatusAfter({ sessionId, state }: AgentRunRow): Sql {
  return sql`case when exists (select from run where session_id = ${sessionId} and ${IS_ALIVE}) then 'busy'
             else ${state === 'failed' ? 'error' : 'idle'}::text end`;
}

function plus({ inputTokens, outputTokens, cost }: MadeCall): Sql {
  return sql`llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric`;
}
