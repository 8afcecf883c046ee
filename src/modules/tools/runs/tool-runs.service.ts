import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Actor, type KeyActor, SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { waiting } from '../../../kernel/waiting.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { CompiledTools } from '../definitions/compiled-tools.js';
import { type CheckedInput, CheckedInputs, issuesOf } from './checked-inputs.js';
import { RunEndings, topicOf } from './run-endings.js';
import { RunEngine, RunLost } from './run-engine.js';
import { sealTokens, tokensFor } from './run-tokens.js';
import { startedRun, type ToolRunRow, type ToolRunStepRow } from './tool-run.entity.js';
import { toolRunList, type ToolRunsRequest } from './tool-run.list.js';
import { ToolRunRepository } from './tool-run.repository.js';
import { ToolRunStepRepository } from './tool-run-step.repository.js';
import { ToolRepository } from '../definitions/tool.repository.js';
import { toolsErrors } from '../tools.errors.js';
import { runTool, watchRun } from '../tools.jobs.js';
import type { RunError, ToolCaller, ToolRunResult } from '../tools.port.js';

const DEFAULT_TIMEOUT_MS = MINUTE_MS;
/** A request waits this much longer than its run may take, because the run's end has to be committed and read. */
const SLACK_MS = 5_000;
/** A caller whose process has died continues the run within this time, or no longer waits for it. */
const WATCHED_MS = 10 * MINUTE_MS;

export interface CallableTool {
  id: Id<'tool'>;
  /** The name by which models call the tool. */
  name: string;
  description: string;
  inputSchema: object;
  /** The authorization profiles whose tokens the tool needs. */
  authProfiles: readonly string[];
}

export interface ToolRunRequest {
  projectId: Id<'project'>;
  toolId: Id<'tool'>;
  input: unknown;
  /** A call with the same key continues the same run and never begins a second one. */
  idempotencyKey: string;
  caller?: ToolCaller;
  environment?: string;
  sessionId?: string;
  traceId?: Id<'trace'>;
  parentObservationId?: Id<'observation'>;
  /** The tokens by the names of their authorization profiles. The tool gets those that it names. */
  userTokens?: Record<string, string>;
  signal: AbortSignal;
  timeoutMs?: number;
}

export interface ExecuteRequest {
  input: unknown;
  flowId?: string | undefined;
  timeoutMs: number;
}

/** Runs deployed tools, and reads and cancels their runs. */
@Injectable()
export class ToolRuns {
  constructor(
    private readonly database: Database,
    private readonly tools: ToolRepository,
    private readonly compiled: CompiledTools,
    private readonly inputs: CheckedInputs,
    private readonly runs: ToolRunRepository,
    private readonly steps: ToolRunStepRepository,
    private readonly engine: RunEngine,
    private readonly endings: RunEndings,
    private readonly notifications: Notifications,
    private readonly jobs: Jobs,
    private readonly vault: Vault,
  ) {}

  /** Returns the deployed tools among these, in the same order. */
  async callable(projectId: Id<'project'>, toolIds: readonly Id<'tool'>[]): Promise<CallableTool[]> {
    const tools = await this.tools.deployedAmong(projectId, toolIds);
    const found = await Promise.all(
      tools.map(async ({ id, deployedVersionId }) => {
        const { name, description, inputSchema, authProfiles = [] } = (await this.compiled.of(deployedVersionId!)).tool;
        return [id, { id, name, description, inputSchema, authProfiles }] as const;
      }),
    );
    const byId = new Map<string, CallableTool>(found);
    return toolIds.flatMap((toolId) => byId.get(toolId) ?? []);
  }

  /**
   * Runs a tool in this process, for a caller that runs in a job. If the process dies, the next attempt of that job
   * calls this again with the same key. Throws TOOL_NOT_FOUND and TOOL_NOT_DEPLOYED; every other error is a failed run.
   * If the signal is aborted, it throws the reason and leaves the run to the next call.
   */
  async run({ signal, ...request }: ToolRunRequest): Promise<ToolRunResult> {
    const { projectId, idempotencyKey, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const known = await this.database.ask(this.runs.byKey(projectId, idempotencyKey));
    const runId =
      known?.id ?? (await this.inputs.begin(projectId, (checked) => this.insertInline(request, checked), signal));
    if (!known || known.state === 'running') {
      await this.engine.drive(runId, signal).catch((error: unknown) => {
        if (!(error instanceof RunLost)) throw error;
      });
    }
    // If another process drives the run, this one waits for its end.
    const run = await this.untilStopped(runId, timeoutMs, signal);
    if (run.state === 'running') throw new Error(`The run ${runId} belongs to another process, and does not end`);
    return resultOf(run);
  }

  /** Starts a run that a job drives. `checked` has the issues that `CheckedInputs` has found in the input. */
  start(actor: KeyActor, toolId: Id<'tool'>, request: ExecuteRequest, checked?: CheckedInput): Promise<Id<'toolRun'>> {
    return this.database.transaction(actor, (tx) => this.insertAsJob(tx, actor, toolId, request, checked));
  }

  /** Returns a started run in its present state. */
  async current(runId: Id<'toolRun'>): Promise<ToolRunRow> {
    return stillThere(await this.database.ask(this.runs.byId(runId)));
  }

  /** Waits until a started run has ended or is suspended. */
  ended(runId: Id<'toolRun'>, timeoutMs: number, signal: AbortSignal): Promise<ToolRunRow> {
    return this.untilStopped(runId, timeoutMs + SLACK_MS, signal);
  }

  async read(
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    runId: Id<'toolRun'>,
  ): Promise<{ run: ToolRunRow; steps: ToolRunStepRow[] }> {
    await this.tool(projectId, toolId);
    const run = await this.database.ask(this.runs.ofTool(projectId, toolId, runId));
    if (!run) throw toolsErrors.runNotFound();
    return { run, steps: await this.database.ask(this.steps.ofRun(runId)) };
  }

  async list(projectId: Id<'project'>, toolId: Id<'tool'>, request: ToolRunsRequest): Promise<Page<ToolRunRow>> {
    await this.tool(projectId, toolId);
    return toolRunList.pageOfRows({ toolId }, request, (range) => this.database.ask(this.runs.listed(toolId, range)));
  }

  /** Cancels a run. The process that drives it stops at its next step, and its later writes have no effect. */
  async cancel(actor: Actor, projectId: Id<'project'>, toolId: Id<'tool'>, runId: Id<'toolRun'>): Promise<ToolRunRow> {
    const { run } = await this.read(projectId, toolId, runId);
    await this.database.transaction(actor, async (tx) => {
      const error: RunError = { code: 'RUN_CANCELLED', message: 'The run was cancelled.' };
      if (!(await this.endings.fail(tx, run, error))) throw toolsErrors.runEnded();
    });
    return this.current(runId);
  }

  /** Locks the runs that `failAllFor` ends. */
  async lock(tx: Transaction, sessionId: Id<'session'>, caller: ToolCaller): Promise<void> {
    await tx.ask(this.runs.lockUnendedFor(sessionId, caller));
  }

  /** Fails the current runs of a caller in a session, because the caller no longer waits for them. */
  async failAllFor(tx: Transaction, sessionId: Id<'session'>, caller: ToolCaller, error: RunError): Promise<void> {
    const runs = await tx.ask(this.runs.lockUnendedFor(sessionId, caller));
    for (const run of runs) await this.endings.fail(tx, run, error);
  }

  /** Deletes the runs of a session, and returns their number. */
  deleteOfSession(tx: Transaction, sessionId: Id<'session'>): Promise<number> {
    return tx.ask(this.runs.deleteOfSession(sessionId));
  }

  private async untilStopped(runId: Id<'toolRun'>, withinMs: number, signal: AbortSignal): Promise<ToolRunRow> {
    const read = () => this.database.ask(this.runs.byId(runId));
    const isOver = (run: ToolRunRow | null) => run?.state !== 'running';
    return stillThere(
      await waiting(() => this.notifications.ended(topicOf(runId), read, isOver, { withinMs, signal })),
    );
  }

  private async insertInline(request: Omit<ToolRunRequest, 'signal'>, checked?: CheckedInput): Promise<Id<'toolRun'>> {
    const { projectId, toolId, idempotencyKey, caller, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const id = newId('toolRun');
    return this.database.transaction(SYSTEM, async (tx) => {
      const versionId = await this.deployed(tx, projectId, toolId);
      const { tool, flows, inputSchema } = await this.compiled.of(versionId);
      const input = JSON.stringify(request.input ?? null);
      const profiles = tool.authProfiles ?? [];
      const userTokens = tokensFor(profiles, request.userTokens);
      const run = startedRun({
        ...{ id, projectId, toolId, versionId, idempotencyKey, timeoutMs },
        callflowId: flows[0]!.id,
        callerName: caller?.name ?? null,
        callerRef: caller?.ref ?? null,
        environment: request.environment ?? null,
        sessionId: request.sessionId ?? null,
        traceId: request.traceId ?? null,
        parentObservationId: request.parentObservationId ?? null,
        tokensSealed: sealTokens(this.vault, id, userTokens),
        input,
      });
      // Of two calls at the same moment, one finds the run of the other.
      if (!(await tx.ask(this.runs.add(run)))) return (await tx.ask(this.runs.byKey(projectId, idempotencyKey)))!.id;
      const error = faultOf(profiles, userTokens, issuesOf(inputSchema, input, versionId, checked));
      if (error) await this.endings.fail(tx, run, error);
      const runAt = new Date(clock.now().getTime() + timeoutMs + WATCHED_MS);
      await this.jobs.add(tx, watchRun, { runId: id }, { projectId, runAt });
      return id;
    });
  }

  private async insertAsJob(
    tx: Transaction,
    { projectId }: KeyActor,
    toolId: Id<'tool'>,
    { input: value, flowId, timeoutMs }: ExecuteRequest,
    checked: CheckedInput | undefined,
  ): Promise<Id<'toolRun'>> {
    const versionId = await this.deployed(tx, projectId, toolId);
    const { tool, flows, inputSchema } = await this.compiled.of(versionId);
    const flow = flowId === undefined ? flows[0] : flows.find((each) => each.id === flowId);
    if (!flow) throw toolsErrors.callflowNotFound({ toolId });
    const input = JSON.stringify(value);
    const issues = issuesOf(inputSchema, input, versionId, checked);
    if (issues.length > 0) throw toolsErrors.inputInvalid({ details: { issues } });
    const id = newId('toolRun');
    const run = startedRun({
      ...{ id, projectId, toolId, versionId, idempotencyKey: null, timeoutMs },
      ...{ callflowId: flow.id, callerName: null, callerRef: null, environment: null, sessionId: null },
      ...{ traceId: null, parentObservationId: null, tokensSealed: null },
      input,
    });
    tx.defer(this.runs.add(run));
    const error = faultOf(tool.authProfiles ?? [], {}, []);
    if (error) await this.endings.fail(tx, run, error);
    else await this.jobs.add(tx, runTool, { runId: id }, { projectId, lane: laneOf(id) });
    return id;
  }

  private async tool(projectId: Id<'project'>, toolId: Id<'tool'>) {
    const tool = await this.tools.inProject(projectId, toolId);
    if (!tool) throw toolsErrors.toolNotFound();
    return tool;
  }

  /** Returns the deployed version. Its tool is locked, so that it stays deployed until the commit. */
  private async deployed(tx: Transaction, projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Id<'toolVersion'>> {
    const tool = await this.tools.lockSharedInProject(tx, projectId, toolId);
    if (!tool) throw toolsErrors.toolNotFound();
    if (tool.deployedVersionId === null) throw toolsErrors.toolNotDeployed({ toolId });
    return tool.deployedVersionId;
  }
}

/** A missing run means that its tool was deleted, because runs are deleted together with their tool. */
function stillThere(run: ToolRunRow | null): ToolRunRow {
  if (!run) throw toolsErrors.toolNotFound();
  return run;
}

/** The lane in which the jobs of a run follow one another. */
export function laneOf(runId: Id<'toolRun'>): string {
  return `tool-run:${runId}`;
}

export function resultOf({ id: runId, ...run }: ToolRunRow): ToolRunResult {
  if (run.state === 'suspended') return { runId, status: 'suspended', until: run.suspendedUntil! };
  if (run.state === 'completed') return { runId, status: 'completed', output: JSON.parse(run.output!) as unknown };
  return { runId, status: 'failed', error: { code: run.errorCode!, message: run.errorMessage! } };
}

function faultOf(
  profiles: readonly string[],
  tokens: Record<string, string>,
  issues: readonly { path: string; message: string }[],
): RunError | undefined {
  const missing = profiles.filter((name) => !Object.hasOwn(tokens, name));
  if (missing.length > 0) {
    const message = `The tool needs the user’s authorization for ${missing.join(', ')}, which is missing.`;
    return { code: 'AUTHORIZATION_REQUIRED', message };
  }
  if (issues.length === 0) return undefined;
  const firstIssues = issues.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  return {
    code: 'TOOL_INPUT_INVALID',
    message: `The input does not match the tool’s inputSchema: ${firstIssues.join('; ')}.`,
  };
}
