import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { RunError, ToolCaller } from './tools.port.js';

export const RUN_STATES = ['running', 'suspended', 'completed', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface NewRun {
  id: Id<'run'>;
  projectId: Id<'project'>;
  toolId: Id<'tool'>;
  versionId: Id<'toolVersion'>;
  callflowId: string;
  idempotencyKey: string | null;
  callerName: string | null;
  callerRef: string | null;
  environment: string | null;
  sessionId: string | null;
  traceId: Id<'trace'> | null;
  parentObservationId: Id<'observation'> | null;
  tokensSealed: string | null;
  timeoutMs: number;
  /** JSON. */
  input: string;
}

export interface Run extends NewRun {
  state: RunState;
  /** Counted up by whoever goes on with the run: what an earlier one still writes has no effect. */
  epoch: number;
  wasSuspended: boolean;
  suspendedUntil: Date | null;
  activeMs: number;
  /** JSON, masked. */
  output: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

export interface Step {
  id: string;
  step: number;
  nodeId: string;
  type: string;
  status: 'completed' | 'failed';
  way: string | null;
  input: string | null;
  output: string | null;
  outputSealed: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  startedAt: Date;
  endedAt: Date;
}

const RUN = columns<Run>({
  id: 'id',
  projectId: 'project_id',
  toolId: 'tool_id',
  versionId: 'version_id',
  callflowId: 'callflow_id',
  idempotencyKey: 'idempotency_key',
  callerName: 'caller_name',
  callerRef: 'caller_ref',
  environment: 'environment',
  sessionId: 'session_id',
  traceId: 'trace_id',
  parentObservationId: 'parent_observation_id',
  tokensSealed: 'tokens_sealed',
  timeoutMs: 'timeout_ms',
  input: 'input',
  state: 'state',
  epoch: 'epoch',
  wasSuspended: 'was_suspended',
  suspendedUntil: 'suspended_until',
  activeMs: 'active_ms',
  output: 'output',
  errorCode: 'error_code',
  errorMessage: 'error_message',
  createdAt: 'created_at',
  endedAt: 'ended_at',
});

/** The statements behind runs. What moves a run names its epoch and tells whether it was still its own. */
@Injectable()
export class RunStore {
  constructor(private readonly statements: Statements) {}

  /** False where the project has a run with this key already. */
  async insert(em: EntityManager, run: NewRun): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      planned`insert into tool_run (id, project_id, tool_id, version_id, callflow_id, idempotency_key, caller_name,
            caller_ref, environment, session_id, trace_id, parent_observation_id, tokens_sealed, timeout_ms, input,
            state, created_at)
          values (${run.id}, ${run.projectId}, ${run.toolId}, ${run.versionId}, ${run.callflowId},
            ${run.idempotencyKey}, ${run.callerName}, ${run.callerRef}, ${run.environment}, ${run.sessionId},
            ${run.traceId}, ${run.parentObservationId}, ${run.tokensSealed}, ${run.timeoutMs}, ${run.input}, 'running',
            ${clock.now()})
          on conflict (project_id, idempotency_key) do nothing returning id`,
    );
    return rows.length > 0;
  }

  async byKey(projectId: Id<'project'>, key: string): Promise<Run | null> {
    return this.one(planned`select ${RUN} from tool_run where project_id = ${projectId} and idempotency_key = ${key}`);
  }

  async byId(runId: Id<'run'>): Promise<Run | null> {
    return this.one(planned`select ${RUN} from tool_run where id = ${runId}`);
  }

  async ofTool(projectId: Id<'project'>, toolId: Id<'tool'>, runId: Id<'run'>): Promise<Run | null> {
    return this.one(
      planned`select ${RUN} from tool_run where id = ${runId} and tool_id = ${toolId} and project_id = ${projectId}`,
    );
  }

  /** Newest first. */
  async page(toolId: Id<'tool'>, { cursor, limit }: { cursor?: string | undefined; limit: number }): Promise<Run[]> {
    const behind = cursor === undefined ? raw('') : sql`and id < ${cursor}`;
    return this.statements.run<Run>(
      sql`select ${RUN} from tool_run where tool_id = ${toolId} ${behind} order by id desc limit ${limit}`,
    );
  }

  /** Those of a tool that run or wait. Until the commit nobody moves them. */
  lockUnended(em: EntityManager, toolId: Id<'tool'>): Promise<Run[]> {
    return this.lockAlive(em, sql`tool_id = ${toolId}`);
  }

  /** The same of a caller, in a session. */
  lockUnendedFor(em: EntityManager, sessionId: string, { name, ref }: ToolCaller): Promise<Run[]> {
    return this.lockAlive(em, sql`session_id = ${sessionId} and caller_name = ${name} and caller_ref = ${ref}`);
  }

  /** With their steps and what they wait for. How many there were. */
  async deleteOfSession(em: EntityManager, sessionId: string): Promise<number> {
    const deleted = await this.statements.runIn(
      em,
      sql`delete from tool_run where session_id = ${sessionId} returning id`,
    );
    return deleted.length;
  }

  /** From here on the run is of whoever asked. Nothing where it does not run. */
  async takeOver(runId: Id<'run'>): Promise<Run | null> {
    return this.one(
      planned`update tool_run set epoch = epoch + 1 where id = ${runId} and state = 'running' returning ${RUN}`,
    );
  }

  steps(runId: Id<'run'>): Promise<Step[]> {
    return this.statements.run<Step>(
      planned`select id, step, node_id as "nodeId", type, status, way, input, output, output_sealed as "outputSealed",
         error_code as "errorCode", error_message as "errorMessage", started_at as "startedAt", ended_at as "endedAt"
       from tool_run_step where run_id = ${runId} order by step`,
    );
  }

  /** False where the run is another one's by now, or over: then nothing was kept. */
  async keep(run: Run, steps: readonly Step[], activeMs: number, em?: EntityManager): Promise<boolean> {
    const query = planned`
      with mine as (
        update tool_run set active_ms = ${activeMs}
        where id = ${run.id} and epoch = ${run.epoch} and state = 'running' returning id),
      kept as (
        insert into tool_run_step (id, run_id, step, node_id, type, status, way, input, output, output_sealed,
          error_code, error_message, started_at, ended_at)
        select one.id, mine.id, step, node_id, type, status, way, input, output, output_sealed, error_code,
          error_message, started_at, ended_at
        from mine, json_to_recordset(${JSON.stringify(steps.map(toColumns))}::json) as one (id text, step integer,
          node_id text, type text, status text, way text, input text, output text, output_sealed text,
          error_code text, error_message text, started_at timestamptz, ended_at timestamptz)
        on conflict do nothing)
      select id from mine`;
    const rows = await (em ? this.statements.runIn(em, query) : this.statements.run(query));
    return rows.length > 0;
  }

  /** False where the run is over already. Without an epoch: whoever has it. */
  async end(
    em: EntityManager,
    { id, epoch }: { id: Id<'run'>; epoch?: number },
    how: { output: string } | { error: RunError },
  ) {
    const { state, output, code, message } =
      'error' in how
        ? { state: 'failed', output: null, code: how.error.code, message: how.error.message }
        : { state: 'completed', output: how.output, code: null, message: null };
    const rows = await this.statements.runIn(
      em,
      planned`update tool_run set state = ${state}, output = ${output}, error_code = ${code}, error_message = ${message},
            suspended_until = null, tokens_sealed = null, ended_at = ${clock.now()}
          where id = ${id} and state in ('running', 'suspended')
            and (${epoch ?? null}::integer is null or epoch = ${epoch ?? null}) returning id`,
    );
    return rows.length > 0;
  }

  async suspend(em: EntityManager, { id, epoch }: Run, until: Date): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      planned`update tool_run set state = 'suspended', suspended_until = ${until}, was_suspended = true
          where id = ${id} and epoch = ${epoch} and state = 'running' returning id`,
    );
    return rows.length > 0;
  }

  /** True where it was suspended; it runs from here on. */
  async wake(em: EntityManager, runId: Id<'run'>): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      planned`update tool_run set state = 'running', suspended_until = null
          where id = ${runId} and state = 'suspended' returning id`,
    );
    return rows.length > 0;
  }

  /** Until the commit nobody moves it. */
  async lock(em: EntityManager, runId: Id<'run'>): Promise<RunState | null> {
    const [row] = await this.statements.runIn<{ state: RunState }>(
      em,
      planned`select state from tool_run where id = ${runId} for update`,
    );
    return row?.state ?? null;
  }

  private lockAlive(em: EntityManager, which: Sql): Promise<Run[]> {
    return this.statements.runIn<Run>(
      em,
      planned`select ${RUN} from tool_run where ${which} and state in ('running', 'suspended') order by id for update`,
    );
  }

  private async one(query: Sql): Promise<Run | null> {
    const [row] = await this.statements.run<Run>(query);
    return row ?? null;
  }
}

function toColumns(step: Step): object {
  const { nodeId, outputSealed, errorCode, errorMessage, startedAt, endedAt, ...rest } = step;
  return {
    ...rest,
    node_id: nodeId,
    output_sealed: outputSealed,
    error_code: errorCode,
    error_message: errorMessage,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
  };
}
