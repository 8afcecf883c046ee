import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { EnvironmentName } from '../tenancy/app.entity.js';
import { columns, planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { MadeCall } from '../gateway/gateway.service.js';
import type { Run, RunState } from './run.js';

interface NewRun {
  runId: Id<'run'>;
  projectId: Id<'project'>;
  appId: Id<'app'>;
  sessionId: Id<'session'>;
  environment: EnvironmentName;
  userId: Id<'user'>;
  versionId: Id<'agentVersion'>;
  jobId: string;
  sink: Run['sink'];
  channel: string;
  isNewSession: boolean;
  isStreamed: boolean;
}

const ALIVE = raw(`state in ('queued', 'running', 'suspended')`);
/** The same, of one run: by its state the plan would look through all that are alive. */
const IS_ALIVE = raw('finished_at is null');

const RUN = columns<Run>({
  runId: 'id',
  number: 'number::float8',
  projectId: 'project_id',
  appId: 'app_id',
  sessionId: 'session_id',
  environment: 'environment',
  userId: 'user_id',
  versionId: 'version_id',
  state: 'state',
  jobId: 'job_id',
  sink: `case when sink_name is not null then json_build_object('name', sink_name, 'ref', coalesce(sink_ref, '')) end`,
  channel: 'channel',
  isNewSession: 'is_new_session',
  isStreamed: 'is_streamed',
  isResumed: 'is_resumed',
  traceId: 'trace_id',
  observationId: 'observation_id',
  createdAt: 'created_at',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
  error: `case when error_code is not null
            then json_build_object('code', error_code, 'message', coalesce(error_message, '')) end`,
  usedFallback: 'used_fallback',
  llmCalls: 'llm_calls',
  toolCalls: 'tool_calls',
  inputTokens: 'input_tokens::float8',
  outputTokens: 'output_tokens::float8',
  cost: 'cost::float8',
  activeMs: 'active_ms::float8',
});

/** The statements behind runs. */
@Injectable()
export class RunStore {
  constructor(private readonly statements: Statements) {}

  async insert(em: EntityManager, run: NewRun): Promise<Run> {
    const inserted = await this.one(
      em,
      planned`
      insert into run (id, project_id, app_id, session_id, environment, user_id, version_id, state, job_id, sink_name, sink_ref,
                       channel, is_new_session, is_streamed, trace_id, observation_id, created_at)
      values (${run.runId}, ${run.projectId}, ${run.appId}, ${run.sessionId}, ${run.environment}, ${run.userId}, ${run.versionId},
              'queued', ${run.jobId}, ${run.sink?.name ?? null}, ${run.sink?.ref ?? null}, ${run.channel},
              ${run.isNewSession}, ${run.isStreamed}, ${newId('trace')}, ${newId('observation')}, ${clock.now()})
      returning ${RUN}`,
    );
    return inserted!;
  }

  async find(runId: Id<'run'>): Promise<Run | null> {
    const [run] = await this.statements.run<Run>(planned`select ${RUN} from run where id = ${runId}`);
    return run ?? null;
  }

  /** Others wait until the transaction ends. */
  async hold(em: EntityManager, runId: Id<'run'>): Promise<Run | null> {
    return this.one(em, planned`select ${RUN} from run where id = ${runId} for no key update`);
  }

  /** How many wait in the session, and how many are at work or suspended. */
  async countAlive(em: EntityManager, sessionId: Id<'session'>): Promise<number> {
    const [row] = await this.statements.runIn<{ count: number }>(
      em,
      planned`select count(*)::integer as count from run where session_id = ${sessionId} and ${ALIVE}`,
    );
    return row?.count ?? 0;
  }

  /** By the column: what is asked for under its name is another value, which no index has. */
  alive(em: EntityManager, sessionId: Id<'session'>): Promise<Run[]> {
    return this.statements.runIn<Run>(
      em,
      planned`select ${RUN} from run where session_id = ${sessionId} and ${ALIVE} order by run.number`,
    );
  }

  /** It is at work from now on. Answers with the run as it was before, or nothing where it is over. */
  begin(em: EntityManager, runId: Id<'run'>): Promise<Run | null> {
    return this.one(
      em,
      planned`
      with held as (select * from run where id = ${runId} and ${IS_ALIVE} for no key update),
      begun as (
        update run set state = 'running', is_resumed = false, started_at = coalesce(held.started_at, ${clock.now()})
        from held where run.id = held.id)
      select ${RUN} from held as run`,
    );
  }

  async suspend(em: EntityManager, runId: Id<'run'>, activeMs: number): Promise<void> {
    await this.change(em, runId, sql`state = 'suspended', active_ms = active_ms + ${Math.round(activeMs)}`);
  }

  async resume(em: EntityManager, runId: Id<'run'>): Promise<void> {
    await this.change(em, runId, sql`is_resumed = true`);
  }

  /** False where the run is over, and counts no more. */
  async addCall(em: EntityManager, runId: Id<'run'>, call: MadeCall): Promise<boolean> {
    const { inputTokens, outputTokens, cost } = call;
    const rows = await this.statements.runIn(
      em,
      planned`
      update run set llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric
      where id = ${runId} and ${IS_ALIVE} returning id`,
    );
    return rows.length > 0;
  }

  /** False where its session has been erased. */
  async addToolCall(em: EntityManager, runId: Id<'run'>): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      planned`update run set tool_calls = tool_calls + 1 where id = ${runId} returning id`,
    );
    return rows.length > 0;
  }

  /** Nothing where it was over already. */
  async finish(
    em: EntityManager,
    runId: Id<'run'>,
    state: Extract<RunState, 'completed' | 'failed'>,
    { error, usedFallback, activeMs }: { error: Run['error']; usedFallback: boolean; activeMs: number },
  ): Promise<Run | null> {
    return this.one(
      em,
      planned`
      update run set state = ${state}, finished_at = ${clock.now()}, error_code = ${error?.code ?? null},
        error_message = ${error?.message ?? null}, used_fallback = ${usedFallback},
        active_ms = active_ms + ${Math.round(activeMs)}
      where id = ${runId} and ${IS_ALIVE} returning ${RUN}`,
    );
  }

  private async one(em: EntityManager, query: Sql): Promise<Run | null> {
    const [run] = await this.statements.runIn<Run>(em, query);
    return run ?? null;
  }

  private async change(em: EntityManager, runId: Id<'run'>, change: Sql): Promise<void> {
    await this.statements.writeIn(em, planned`update run set ${change} where id = ${runId}`);
  }
}
