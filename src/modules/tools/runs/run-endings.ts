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

type How = { output: string } | { error: RunError };

/** What the process that goes through a run adds to its end. */
interface Last {
  toolName: string;
  /** The steps that are done and not kept. */
  steps: readonly ToolRunStepRow[];
  time: RunTime;
}

/** Where those listen who wait for a run. */
export const topicOf = (runId: Id<'toolRun'>) => `tool-run:${runId}`;

/** The one way in which runs end, with all that belongs to it in the same transaction. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly runs: ToolRunRepository,
    private readonly listeners: RunListeners,
    private readonly traces: TracesService,
    private readonly notifications: Notifications,
  ) {}

  /** Ends a run by the process that goes through it. False where the run is another process's by now, or over. */
  async finish(tx: Transaction, run: ToolRunRow, how: How, { toolName, steps, time }: Last): Promise<boolean> {
    await this.lockCaller(tx, callerToTell(run));
    // Both have the same fence: the run ends only where its steps are kept.
    const [, hasEnded] = await tx.askAll([this.runs.keep(run, steps, time), this.runs.end(run, how)]);
    if (hasEnded) await this.followUp(tx, run, how, toolName);
    return hasEnded;
  }

  /** Locks what ending a run from outside changes. */
  async lock(tx: Transaction, runId: Id<'toolRun'>): Promise<void> {
    const run = await tx.ask(this.runs.byId(runId));
    if (run) await this.lockCaller(tx, callerOf(run));
    await tx.ask(this.runs.lock(runId));
  }

  /** Ends a run from outside, whichever process goes through it. False where the run is over. */
  async fail(tx: Transaction, run: ToolRunRow, error: RunError): Promise<boolean> {
    await this.lockCaller(tx, callerToTell(run));
    const hasEnded = await tx.ask(this.runs.fail(run.id, error));
    if (hasEnded) await this.followUp(tx, run, { error }, 'tool');
    return hasEnded;
  }

  /**
   * Ends all runs of a tool from outside; its row is locked, so that no run begins meanwhile. Every caller is locked before
   * the first run is locked, because sessions come before runs in the order of locks.
   */
  async failAllOf(tx: Transaction, toolId: Id<'tool'>, error: RunError): Promise<void> {
    for (const run of await tx.ask(this.runs.unendedOf(toolId))) await this.lockCaller(tx, callerOf(run));
    for (const run of await tx.ask(this.runs.lockUnended(toolId))) await this.fail(tx, run, error);
  }

  /** Once it can be read that it does not run any more. */
  tell(runId: Id<'toolRun'>): void {
    this.notifications.notify(topicOf(runId));
  }

  private async lockCaller(tx: Transaction, caller: ToolCaller | undefined): Promise<void> {
    if (caller) await this.listeners.lock(tx, caller);
  }

  /** Writes the trace last, because the ledger comes last in the order of locks. */
  private async followUp(tx: Transaction, run: ToolRunRow, how: How, toolName: string): Promise<void> {
    const caller = callerToTell(run);
    if (caller) await this.listen(tx, run, caller, how);
    await this.observe(tx, run, how, toolName);
    tx.afterCommit(() => this.tell(run.id));
  }

  private async listen(tx: Transaction, { id: runId, projectId }: ToolRunRow, caller: ToolCaller, how: How) {
    const result =
      'error' in how
        ? { runId, status: 'failed' as const, error: how.error }
        : { runId, status: 'completed' as const, output: JSON.parse(how.output) as unknown };
    await this.listeners.tell(tx, { runId, projectId, caller, result });
  }

  /** A span of the trace that the run belongs to, where there is one. */
  private async observe(tx: Transaction, run: ToolRunRow, how: How, name: string): Promise<void> {
    if (run.traceId === null) return;
    const isFailed = 'error' in how;
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
        statusMessage: isFailed ? how.error.message : '',
        input: run.input,
        output: isFailed ? null : how.output,
        attributes: JSON.stringify({ 'slipway.tool.id': run.toolId, 'slipway.run.id': run.id }),
        generation: null,
      },
    ]);
  }
}

/** Whoever waits inside the call hears of it there. */
function callerToTell(run: ToolRunRow): ToolCaller | undefined {
  return run.wasSuspended ? callerOf(run) : undefined;
}

function callerOf({ callerName, callerRef }: ToolRunRow): ToolCaller | undefined {
  return callerName === null ? undefined : { name: callerName, ref: callerRef ?? '' };
}
