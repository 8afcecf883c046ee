import type { EntityManager } from '@mikro-orm/postgresql';
import { toId } from '../../kernel/ids.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type EndedToolRun, ListensToToolRuns, type ToolCaller, ToolRunListener } from '../tools/tools.port.js';
import { isOver } from './run.js';
import { RunStore } from './run-store.js';
import { CALLER } from './tool-steps.js';

/** Turns that wait for a tool go on when it has ended. */
@ListensToToolRuns(CALLER)
export class SuspendedTurns extends ToolRunListener {
  constructor(
    private readonly sessions: SessionsService,
    private readonly runs: RunStore,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  /** The session before the tool's run: whoever ends it takes them in this order. */
  async hold(em: EntityManager, caller: ToolCaller): Promise<void> {
    const known = await this.runs.find(toId('run', caller.ref));
    if (known) await this.sessions.hold(em, known.sessionId);
  }

  async onEnded(em: EntityManager, { caller }: EndedToolRun): Promise<void> {
    const known = await this.runs.find(toId('run', caller.ref));
    if (!known || isOver(known)) return;
    // Also for a turn that is about to be suspended, and then is not.
    await this.runs.resume(em, known.runId);
    await this.jobs.resume(em, known.jobId);
  }
}
