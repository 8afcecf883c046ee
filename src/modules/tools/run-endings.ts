import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { TracesService } from '../traces/traces.service.js';
import { RunEnds } from './run-ends.js';
import { RunListeners } from './run-listeners.js';
import { type Run, RunStore } from './run-store.js';
import { observationOf } from './run-walk.js';
import type { RunError, ToolCaller } from './tools.port.js';

type How = { output: string } | { error: RunError };

/** The one way in which runs end, with all that belongs to it in the same transaction. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly runs: RunStore,
    private readonly listeners: RunListeners,
    private readonly traces: TracesService,
    private readonly ends: RunEnds,
    private readonly database: Database,
  ) {}

  /** False where the run has ended already, or is another one's. */
  async end(em: EntityManager, run: Run, how: How, toolName = 'tool'): Promise<boolean> {
    const caller = callerToTell(run);
    if (caller) await this.listeners.hold(em, caller);
    if (!(await this.runs.end(em, run, how))) return false;
    await this.observe(em, run, how, toolName);
    if (caller) await this.listen(em, run, caller, how);
    this.database.afterCommit(() => this.tell(run.id));
    return true;
  }

  /** Whoever has it: by those who end it from outside. */
  async fail(em: EntityManager, { epoch: _, ...run }: Run, error: RunError): Promise<boolean> {
    return this.end(em, run as Run, { error });
  }

  tell(runId: Id<'run'>): void {
    this.ends.tell(runId);
  }

  private async listen(em: EntityManager, { id: runId, projectId }: Run, caller: ToolCaller, how: How) {
    const result =
      'error' in how
        ? { runId, status: 'failed' as const, error: how.error }
        : { runId, status: 'completed' as const, output: JSON.parse(how.output) as unknown };
    await this.listeners.tell(em, { runId, projectId, caller, result });
  }

  /** A span of the trace that the run belongs to, where there is one. */
  private async observe(em: EntityManager, run: Run, how: How, name: string): Promise<void> {
    if (run.traceId === null) return;
    const isFailed = 'error' in how;
    await this.traces.write(em, run.projectId, null, [
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
function callerToTell({ wasSuspended, callerName, callerRef }: Run): ToolCaller | undefined {
  return wasSuspended && callerName !== null ? { name: callerName, ref: callerRef ?? '' } : undefined;
}
