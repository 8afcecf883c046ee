import type { Transaction } from '../../../platform/database/transaction.js';
import { toId } from '../../../kernel/ids.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { type EndedToolRun, ListensToToolRuns, type ToolCaller, ToolRunListener } from '../../tools/tools.port.js';
import { isOver } from '../runs/agent-run.entity.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { CALLER } from './tool-steps.js';

/** Turns that wait for a tool go on when it has ended. */
@ListensToToolRuns(CALLER)
export class SuspendedTurns extends ToolRunListener {
  constructor(
    private readonly sessions: SessionsService,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  /** Locks the turn before the tool's run: whoever ends the turn takes them in this order. */
  async lock(tx: Transaction, caller: ToolCaller): Promise<void> {
    const known = await tx.ask(this.runs.byId(toId('agentRun', caller.ref)));
    if (known) await tx.askAll([this.sessions.lock(known.sessionId), this.runs.lock(known.id)]);
  }

  async onEnded(tx: Transaction, { caller }: EndedToolRun): Promise<void> {
    const known = await tx.ask(this.runs.byId(toId('agentRun', caller.ref)));
    if (!known || isOver(known)) return;
    // Also tells a turn that is about to be suspended, and then is not.
    tx.defer(this.runs.resume(known.id));
    await this.jobs.resume(tx, known.jobId);
  }
}
