import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { runTool } from '../tools.jobs.js';
import { ToolRunRepository } from './tool-run.repository.js';
import { laneOf } from './tool-runs.service.js';

/** Resumes runs that wait for a callback or for a time. */
@Injectable()
export class SuspendedRuns {
  constructor(
    private readonly runs: ToolRunRepository,
    private readonly jobs: Jobs,
  ) {}

  /** Adds the job that continues the run. A run that is not suspended, such as a cancelled one, stays as it is. */
  async resume(tx: Transaction, runId: Id<'toolRun'>): Promise<void> {
    const woken = await tx.ask(this.runs.wake(runId));
    if (woken) await this.jobs.add(tx, runTool, { runId }, { projectId: woken.projectId, lane: laneOf(runId) });
  }
}
