import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { TracesService } from '../../traces/traces.service.js';
import { RunListeners } from './run-listeners.js';
import { observationOf } from './run-walk.js';
import type { ToolRunRow, ToolRunStepRow } from './tool-run.entity.js';
import { type RunTime, ToolRunRepository } from './tool-run.repository.js';
import type { RunError, ToolCaller } from '../tools.port.js';

type Outcome = { output: string } | { error: RunError };

/** The last results of the process that drives a run, which are written together with its end. */
interface LastResults {
  toolName: string;
  /** The steps that are done and not committed. */
  steps: readonly ToolRunStepRow[];
  time: RunTime;
}

/** The topic of the notifications for processes that wait for a run. */
export const topicOf = (runId: Id<'toolRun'>) => `tool-run:${runId}`;

/** Ends runs. The end, the notification of the caller and the trace are written in one transaction. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly runs: ToolRunRepository,
    private readonly listeners: RunListeners,
    private readonly traces: TracesService,
    private readonly notifications: Notifications,
  ) {}

  /**
   * Ends a run in the process that drives it. Returns false if another process has taken the run over, or it is over.
   */
  async finish(
    tx: Transaction,
    run: ToolRunRow,
    outcome: Outcome,
    { toolName, steps, time }: LastResults,
  ): Promise<boolean> {
    await this.lockCaller(tx, callerToNotify(run));
    // Both statements have the same fence, so the run ends only if its steps are written.
    const [, hasEnded] = await tx.askAll([this.runs.keep(run, steps, time), this.runs.end(run, outcome)]);
    if (hasEnded) await this.followUp(tx, run, outcome, toolName);
    return hasEnded;
  }

  /** Locks the rows that `fail` changes. */
  async lock(tx: Transaction, runId: Id<'toolRun'>): Promise<void> {
    const run = await tx.ask(this.runs.byId(runId));
    if (run) await this.lockCaller(tx, callerOf(run));
    await tx.ask(this.runs.lock(runId));
  }

  /** Fails a run from outside, whichever process drives it. Returns false if the run is over. */
  async fail(tx: Transaction, run: ToolRunRow, error: RunError): Promise<boolean> {
    await this.lockCaller(tx, callerToNotify(run));
    const hasEnded = await tx.ask(this.runs.fail(run.id, error));
    if (hasEnded) await this.followUp(tx, run, { error }, 'tool');
    return hasEnded;
  }

  /**
   * Fails all runs of a tool from outside. The caller has locked the tool's row, so no run begins meanwhile. Sessions
   * come before runs in the order of locks, so every calling session is locked before the first run.
   */
  async failAllOf(tx: Transaction, toolId: Id<'tool'>, error: RunError): Promise<void> {
    for (const run of await tx.ask(this.runs.unendedOf(toolId))) await this.lockCaller(tx, callerOf(run));
    for (const run of await tx.ask(this.runs.lockUnended(toolId))) await this.fail(tx, run, error);
  }

  /** Notifies the processes that wait for a run. It is called after the commit, so that they read the new state. */
  notify(runId: Id<'toolRun'>): void {
    this.notifications.notify(topicOf(runId));
  }

  private async lockCaller(tx: Transaction, caller: ToolCaller | undefined): Promise<void> {
    if (caller) await this.listeners.lock(tx, caller);
  }

  /** Writes the trace last, because the ledger comes last in the order of locks. */
  private async followUp(tx: Transaction, run: ToolRunRow, outcome: Outcome, toolName: string): Promise<void> {
    const caller = callerToNotify(run);
    if (caller) await this.notifyCaller(tx, run, caller, outcome);
    await this.writeSpan(tx, run, outcome, toolName);
    tx.afterCommit(() => this.notify(run.id));
  }

  private async notifyCaller(
    tx: Transaction,
    { id: runId, projectId }: ToolRunRow,
    caller: ToolCaller,
    outcome: Outcome,
  ): Promise<void> {
    const result =
      'error' in outcome
        ? { runId, status: 'failed' as const, error: outcome.error }
        : { runId, status: 'completed' as const, output: JSON.parse(outcome.output) as unknown };
    await this.listeners.notify(tx, { runId, projectId, caller, result });
  }

  /** Writes a span into the trace of the run, if it has one. */
  private async writeSpan(tx: Transaction, run: ToolRunRow, outcome: Outcome, name: string): Promise<void> {
    if (run.traceId === null) return;
    const isFailed = 'error' in outcome;
    await this.traces.write(tx, run.projectId, null, [
      {
        id: observationOf(run.id),
        traceId: run.traceId,
        parentId: run.parentObservationId,
        sessionId: run.sessionId ?? '',
        name,
        startedAt: run.createdAt.toISOString(),
        endedAt: clock.now().toISOString(),
        status: isFailed ? 'failed' : 'success',
        statusMessage: isFailed ? outcome.error.message : '',
        input: run.input,
        output: isFailed ? null : outcome.output,
        attributes: JSON.stringify({ 'slipway.tool.id': run.toolId, 'slipway.run.id': run.id }),
        generation: null,
      },
    ]);
  }
}

/** Returns the caller of a run that was suspended. Before that, the caller still waits in its call for the result. */
function callerToNotify(run: ToolRunRow): ToolCaller | undefined {
  return run.wasSuspended ? callerOf(run) : undefined;
}

function callerOf({ callerName, callerRef }: ToolRunRow): ToolCaller | undefined {
  return callerName === null ? undefined : { name: callerName, ref: callerRef ?? '' };
}
