import type { Transaction } from '../../../platform/database/transaction.js';
import { toId } from '../../../kernel/ids.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { type EndedToolRun, ListensToToolRuns, type ToolCaller, ToolRunListener } from '../../tools/tools.port.js';
import { isOver } from '../runs/agent-run.entity.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { CALLER } from './tool-steps.js';

/** Resumes a turn when the tool run for which it is suspended has ended. */
@ListensToToolRuns(CALLER)
export class SuspendedTurns extends ToolRunListener {
  constructor(
    private readonly sessions: SessionsService,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  /** Locks the turn before the tool's run, because the end of a turn takes the locks in this order. */
  async lock(tx: Transaction, caller: ToolCaller): Promise<void> {
    const run = await tx.ask(this.runs.byId(toId('agentRun', caller.ref)));
    if (run) await tx.askAll([this.sessions.lock(run.sessionId), this.runs.lock(run.id)]);
  }

  async onEnded(tx: Transaction, { caller }: EndedToolRun): Promise<void> {
    const run = await tx.ask(this.runs.byId(toId('agentRun', caller.ref)));
    if (!run || isOver(run)) return;
    // A turn that is just about to be suspended reads this mark and continues instead.
    tx.defer(this.runs.resume(run.id));
    await this.jobs.resume(tx, run.jobId);
  }
}
