import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow, newRows, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { exists, row, rows, type Statement, write } from '../../../platform/database/statement.js';
import { andInRange, type ListRange } from '../../../platform/list/list-range.js';
import { type ToolRunState, ToolRun, type ToolRunRow, ToolRunStep, type ToolRunStepRow } from './tool-run.entity.js';
import type { RunError, ToolCaller } from '../tools.port.js';

const ALIVE = raw(`state in ('running', 'suspended')`);

/** The time that a run has used so far. */
export type RunTime = Pick<ToolRunRow, 'activeMs' | 'computedMs'>;

/** Statements on runs and their steps. Those of the process that drives a run are fenced by the run's epoch. */
export class ToolRunRepository extends EntityRepository<ToolRun> {
  /** Adds a run. Returns false if the project has a run with this key already. */
  add(run: ToolRunRow): Statement<boolean> {
    return exists(
      planned`insert into tool_run ${newRow(ToolRun, run)}
              on conflict (project_id, idempotency_key) do nothing returning id`,
    );
  }

  byKey(projectId: Id<'project'>, key: string): Statement<ToolRunRow | null> {
    return this.one(sql`project_id = ${projectId} and idempotency_key = ${key}`);
  }

  byId(runId: Id<'toolRun'>): Statement<ToolRunRow | null> {
    return this.one(sql`id = ${runId}`);
  }

  ofTool(projectId: Id<'project'>, toolId: Id<'tool'>, runId: Id<'toolRun'>): Statement<ToolRunRow | null> {
    return this.one(sql`id = ${runId} and tool_id = ${toolId} and project_id = ${projectId}`);
  }

  listed(toolId: Id<'tool'>, range: ListRange): Statement<ToolRunRow[]> {
    return rows(sql`select ${columnsOf(ToolRun)} from tool_run where tool_id = ${toolId} ${andInRange('id', range)}`);
  }

  /**
   * Finds a tool's current runs in the order of their sessions, because several sessions are always locked in that
   * order.
   */
  unendedOf(toolId: Id<'tool'>): Statement<ToolRunRow[]> {
    return rows(
      sql`select ${columnsOf(ToolRun)} from tool_run where tool_id = ${toolId} and ${ALIVE}
          order by session_id collate "C", id`,
    );
  }

  /** Locks a tool's current runs, so that no other transaction changes them. */
  lockUnended(toolId: Id<'tool'>): Statement<ToolRunRow[]> {
    return this.lockAlive(sql`tool_id = ${toolId}`);
  }

  /** Locks a caller's current runs in a session. */
  lockUnendedFor(sessionId: string, { name, ref }: ToolCaller): Statement<ToolRunRow[]> {
    return this.lockAlive(sql`session_id = ${sessionId} and caller_name = ${name} and caller_ref = ${ref}`);
  }

  /** Deletes the runs of a session with their steps and suspensions, and returns the number of runs. */
  deleteOfSession(sessionId: string): Statement<number> {
    return rows(sql`delete from tool_run where session_id = ${sessionId} returning id`)
      .as(({ length }) => length)
      .taking('toolRun');
  }

  /** Increments the epoch, so that earlier processes have lost the run. Returns null if the run is not running. */
  takeOver(runId: Id<'toolRun'>): Statement<ToolRunRow | null> {
    return row<ToolRunRow>(
      planned`update tool_run set epoch = epoch + 1 where id = ${runId} and state = 'running'
              returning ${columnsOf(ToolRun)}`,
    ).taking('toolRun');
  }

  /** Keeps steps. False where the run is another process's by now, or over: then nothing was kept. */
  keep(
    { id, epoch }: ToolRunRow,
    steps: readonly ToolRunStepRow[],
    { activeMs, computedMs }: RunTime,
  ): Statement<boolean> {
    const mine = sql`update tool_run set active_ms = ${activeMs}, computed_ms = ${computedMs}
                     where id = ${id} and epoch = ${epoch} and state = 'running' returning id`;
    if (steps.length === 0) return exists(mine.planned()).taking('toolRun');
    return exists(
      planned`with mine as (${mine}),
              kept as (insert into tool_run_step ${newRows(ToolRunStep, steps)}
                where exists (select from mine) on conflict do nothing)
              select id from mine`,
    ).taking('toolRun');
  }

  /**
   * Ends a run in the process that drives it. Returns false if another process has taken the run over, or it is over.
   */
  end({ id, epoch }: ToolRunRow, outcome: { output: string } | { error: RunError }): Statement<boolean> {
    const mine = sql`id = ${id} and epoch = ${epoch} and state = 'running'`;
    if ('error' in outcome) return this.endWhere(mine, 'failed', null, outcome.error);
    return this.endWhere(mine, 'completed', outcome.output, null);
  }

  /** Fails a run from outside, whichever process drives it. Returns false if the run is over. */
  fail(runId: Id<'toolRun'>, error: RunError): Statement<boolean> {
    return this.endWhere(sql`id = ${runId} and ${ALIVE}`, 'failed', null, error);
  }

  suspend({ id, epoch }: ToolRunRow, until: Date): Statement<void> {
    return write(
      planned`update tool_run set state = 'suspended', suspended_until = ${until}, was_suspended = true
              where id = ${id} and epoch = ${epoch} and state = 'running'`,
    ).taking('toolRun');
  }

  /** Resumes a suspended run. The caller adds the job that continues it. Returns null if the run was not suspended. */
  wake(runId: Id<'toolRun'>): Statement<Pick<ToolRunRow, 'projectId'> | null> {
    return row<Pick<ToolRunRow, 'projectId'>>(
      planned`update tool_run set state = 'running', suspended_until = null
              where id = ${runId} and state = 'suspended' returning ${someColumnsOf(ToolRun, ['projectId'])}`,
    ).taking('toolRun');
  }

  /** Locks a run and returns its state, or null if there is no such run. */
  lock(runId: Id<'toolRun'>): Statement<ToolRunState | null> {
    return row<Pick<ToolRunRow, 'state'>>(planned`select state from tool_run where id = ${runId} for update`)
      .as((locked) => locked?.state ?? null)
      .taking('toolRun');
  }

  private one(which: Sql): Statement<ToolRunRow | null> {
    return row(planned`select ${columnsOf(ToolRun)} from tool_run where ${which}`);
  }

  private lockAlive(which: Sql): Statement<ToolRunRow[]> {
    return rows<ToolRunRow>(
      planned`select ${columnsOf(ToolRun)} from tool_run where ${which} and ${ALIVE} order by id for update`,
    ).taking('toolRun');
  }

  private endWhere(
    which: Sql,
    state: 'completed' | 'failed',
    output: string | null,
    error: RunError | null,
  ): Statement<boolean> {
    return exists(
      planned`update tool_run set state = ${state}, output = ${output}, error_code = ${error?.code ?? null},
                error_message = ${error?.message ?? null}, suspended_until = null, tokens_sealed = null,
                ended_at = ${clock.now()}
              where ${which} returning id`,
    ).taking('toolRun');
  }
}
