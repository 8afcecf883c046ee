import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Actor, type KeyActor, SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { cutPage } from '../../../kernel/page.js';
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
import { ToolRunRepository } from './tool-run.repository.js';
import { ToolRunStepRepository } from './tool-run-step.repository.js';
import { ToolRepository } from '../definitions/tool.repository.js';
import { toolsErrors } from '../tools.errors.js';
import { runTool, watchRun } from '../tools.jobs.js';
import type { RunError, ToolCaller, ToolRunResult } from '../tools.port.js';

const DEFAULT_TIMEOUT_MS = 60_000;
/** What an answer may come later than the time that its run has. */
const SLACK_MS = 5_000;
/** Whoever runs a tool and dies is back by then, or nobody waits for the run any more. */
const WATCHED_MS = 10 * 60_000;

export interface CallableTool {
  id: Id<'tool'>;
  /** What models call it by. */
  name: string;
  description: string;
  inputSchema: object;
  /** The authorization profiles that it names. */
  authProfiles: readonly string[];
}

export interface ToolRunWish {
  projectId: Id<'project'>;
  toolId: Id<'tool'>;
  input: unknown;
  /** The same key: the run as it is, never a second one. */
  idempotencyKey: string;
  caller?: ToolCaller;
  environment?: string;
  sessionId?: string;
  traceId?: Id<'trace'>;
  parentObservationId?: Id<'observation'>;
  /** By the names of authorization profiles; the tool gets those that it names. */
  userTokens?: Record<string, string>;
  signal: AbortSignal;
  timeoutMs?: number;
}

export interface ExecuteWish {
  input: unknown;
  flowId?: string | undefined;
  timeoutMs: number;
}

/** Runs of deployed tools. */
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

  /** Those of them that are deployed, in the order asked for. */
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
   * Runs a tool here and now, for somebody whose own job tells the next process to call this again, with the same key.
   * Refuses with TOOL_NOT_FOUND and TOOL_NOT_DEPLOYED; whatever else goes wrong is a failed run. Throws the signal's
   * reason, and leaves the run to whoever calls again.
   */
  async run({ signal, ...wish }: ToolRunWish): Promise<ToolRunResult> {
    const known = await this.database.ask(this.runs.byKey(wish.projectId, wish.idempotencyKey));
    const runId =
      known?.id ?? (await this.inputs.begin(wish.projectId, (checked) => this.insertInline(wish, checked), signal));
    if (!known || known.state === 'running') {
      await this.engine.drive(runId, signal).catch((error: unknown) => {
        if (!(error instanceof RunLost)) throw error;
      });
    }
    // Where another process goes on with it, it is waited for.
    const run = await this.atRest(runId, wish.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal);
    if (run.state === 'running') throw new Error(`The run ${runId} is another process's, and does not end`);
    return resultOf(run);
  }

  /** Begins to run a tool as a job. What was seen of its input comes from `CheckedInputs`. */
  start(actor: KeyActor, toolId: Id<'tool'>, wish: ExecuteWish, checked?: CheckedInput): Promise<Id<'toolRun'>> {
    return this.database.transaction(actor, (tx) => this.insertAsJob(tx, actor, toolId, wish, checked));
  }

  /** One that was started, as it is. */
  async asItIs(runId: Id<'toolRun'>): Promise<ToolRunRow> {
    return stillThere(await this.database.ask(this.runs.byId(runId)));
  }

  /** One that was started, once it does not run any more. */
  ended(runId: Id<'toolRun'>, timeoutMs: number, signal: AbortSignal): Promise<ToolRunRow> {
    return this.atRest(runId, timeoutMs + SLACK_MS, signal);
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

  async list(projectId: Id<'project'>, toolId: Id<'tool'>, part: { cursor?: string | undefined; limit: number }) {
    await this.tool(projectId, toolId);
    const runs = await this.database.ask(this.runs.page(toolId, { ...part, limit: part.limit + 1 }));
    return cutPage(runs, part.limit);
  }

  /** Whoever goes on with it stops at its next step; whatever that still does has no effect. */
  async cancel(actor: Actor, projectId: Id<'project'>, toolId: Id<'tool'>, runId: Id<'toolRun'>): Promise<ToolRunRow> {
    const { run } = await this.read(projectId, toolId, runId);
    await this.database.transaction(actor, async (tx) => {
      const error: RunError = { code: 'RUN_CANCELLED', message: 'The run was cancelled.' };
      if (!(await this.endings.fail(tx, run, error))) throw toolsErrors.runEnded();
    });
    return this.asItIs(runId);
  }

  /** Locks what `breakOff` ends. */
  async lock(tx: Transaction, sessionId: Id<'session'>, caller: ToolCaller): Promise<void> {
    await tx.ask(this.runs.lockUnendedFor(sessionId, caller));
  }

  /** Whoever had them run wants nothing of it any more: what still runs or waits for that caller in the session ends. */
  async breakOff(tx: Transaction, sessionId: Id<'session'>, caller: ToolCaller, error: RunError): Promise<void> {
    const runs = await tx.ask(this.runs.lockUnendedFor(sessionId, caller));
    for (const run of runs) await this.endings.fail(tx, run, error);
  }

  /** All that ran in the session, for good. How many runs that were. */
  forget(tx: Transaction, sessionId: Id<'session'>): Promise<number> {
    return tx.ask(this.runs.deleteOfSession(sessionId));
  }

  private async atRest(runId: Id<'toolRun'>, withinMs: number, signal: AbortSignal): Promise<ToolRunRow> {
    const read = () => this.database.ask(this.runs.byId(runId));
    const isOver = (run: ToolRunRow | null) => run?.state !== 'running';
    return stillThere(
      await waiting(() => this.notifications.ended(topicOf(runId), read, isOver, { withinMs, signal })),
    );
  }

  private async insertInline(wish: Omit<ToolRunWish, 'signal'>, checked?: CheckedInput): Promise<Id<'toolRun'>> {
    const { projectId, toolId, idempotencyKey, caller, timeoutMs = DEFAULT_TIMEOUT_MS } = wish;
    const id = newId('toolRun');
    return this.database.transaction(SYSTEM, async (tx) => {
      const versionId = await this.deployed(tx, projectId, toolId);
      const { tool, flows, inputSchema } = await this.compiled.of(versionId);
      const input = JSON.stringify(wish.input ?? null);
      const profiles = tool.authProfiles ?? [];
      const userTokens = tokensFor(profiles, wish.userTokens);
      const run = startedRun({
        ...{ id, projectId, toolId, versionId, idempotencyKey, timeoutMs },
        callflowId: flows[0]!.id,
        callerName: caller?.name ?? null,
        callerRef: caller?.ref ?? null,
        environment: wish.environment ?? null,
        sessionId: wish.sessionId ?? null,
        traceId: wish.traceId ?? null,
        parentObservationId: wish.parentObservationId ?? null,
        tokensSealed: sealTokens(this.vault, id, userTokens),
        input,
      });
      // Called twice at the same moment, one of them finds the other's.
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
    wish: ExecuteWish,
    checked: CheckedInput | undefined,
  ): Promise<Id<'toolRun'>> {
    const versionId = await this.deployed(tx, projectId, toolId);
    const { tool, flows, inputSchema } = await this.compiled.of(versionId);
    const flow = wish.flowId === undefined ? flows[0] : flows.find(({ id }) => id === wish.flowId);
    if (!flow) throw toolsErrors.callflowNotFound({ toolId });
    const input = JSON.stringify(wish.input);
    const issues = issuesOf(inputSchema, input, versionId, checked);
    if (issues.length > 0) throw toolsErrors.inputInvalid({ details: { issues } });
    const id = newId('toolRun');
    const run = startedRun({
      ...{ id, projectId, toolId, versionId, idempotencyKey: null, timeoutMs: wish.timeoutMs },
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

  /** Until the commit it stays deployed. */
  private async deployed(tx: Transaction, projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Id<'toolVersion'>> {
    const tool = await this.tools.holdInProject(tx, projectId, toolId);
    if (!tool) throw toolsErrors.toolNotFound();
    if (tool.deployedVersionId === null) throw toolsErrors.toolNotDeployed({ toolId });
    return tool.deployedVersionId;
  }
}

/** Runs go with their tool. */
function stillThere(run: ToolRunRow | null): ToolRunRow {
  if (!run) throw toolsErrors.toolNotFound();
  return run;
}

/** Jobs of one run follow one another. */
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
    const message = `The tool needs the user’s authorization for ${missing.join(', ')}, which is not there yet.`;
    return { code: 'AUTHORIZATION_REQUIRED', message };
  }
  if (issues.length === 0) return undefined;
  const told = issues.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  return { code: 'TOOL_INPUT_INVALID', message: `The input is not what the tool asks for: ${told.join('; ')}.` };
}
