import type { Transaction } from '../../../platform/database/transaction.js';
import { toId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { HandlesJob, JobHandler } from '../../../platform/queue/job-handler.js';
import type { JobRun } from '../../../platform/queue/job-run.js';
import { RunEndings } from './run-endings.js';
import { RunEngine, RunLost } from './run-engine.js';
import { SuspendedRuns } from './suspended-runs.js';
import { SuspensionRepository } from '../callbacks/suspension.repository.js';
import { ToolRunRepository } from './tool-run.repository.js';
import { endDelay, endSuspension, runTool, watchRun } from '../tools.jobs.js';

type RunData = { runId: string };

@HandlesJob(runTool)
export class RunTool extends JobHandler<RunData> {
  constructor(
    private readonly engine: RunEngine,
    private readonly runs: ToolRunRepository,
    private readonly endings: RunEndings,
  ) {
    super();
  }

  async run(job: JobRun<RunData>): Promise<void> {
    await this.engine.drive(toId('toolRun', job.data.runId), job.signal).catch((error: unknown) => {
      // The run was cancelled, or another process has taken it over. Nothing is left to do here.
      if (!(error instanceof RunLost)) throw error;
    });
    await job.finish();
  }

  override async lock(tx: Transaction, { runId }: RunData): Promise<void> {
    await this.endings.lock(tx, toId('toolRun', runId));
  }

  override async onFailed(tx: Transaction, { runId }: RunData, reason: string): Promise<void> {
    const run = await tx.ask(this.runs.byId(toId('toolRun', runId)));
    if (!run) return;
    const isCancelled = reason.startsWith('Cancelled');
    const error = isCancelled
      ? { code: 'RUN_CANCELLED', message: `${reason}.` }
      : { code: 'RUN_FAILED', message: 'Every attempt failed because of a fault of the service, which is in its log.' };
    await this.endings.fail(tx, run, error);
  }
}

/** Expires a suspension whose callback has not arrived in time, and resumes the run at the edge for its error. */
@HandlesJob(endSuspension)
export class EndSuspension extends JobHandler<{ suspensionId: string }> {
  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunRepository,
    private readonly suspensions: SuspensionRepository,
    private readonly suspended: SuspendedRuns,
  ) {
    super();
  }

  async run(job: JobRun<{ suspensionId: string }>): Promise<void> {
    const suspension = await this.database.ask(this.suspensions.byId(toId('suspension', job.data.suspensionId)));
    if (!suspension) return;
    const { id, runId } = suspension;
    await job.finish(async (tx) => {
      const [runState, state] = await tx.askAll([this.runs.lock(runId), this.suspensions.stateOf(id)]);
      if (runState === null || state !== 'open') return;
      tx.defer(this.suspensions.expire(id));
      await this.suspended.resume(tx, runId);
    });
  }
}

/** Resumes a run behind a node that has delayed it. */
@HandlesJob(endDelay)
export class EndDelay extends JobHandler<RunData> {
  constructor(private readonly suspended: SuspendedRuns) {
    super();
  }

  async run(job: JobRun<RunData>): Promise<void> {
    await job.finish((tx) => this.suspended.resume(tx, toId('toolRun', job.data.runId)));
  }
}

/** Fails a run whose caller should have continued it in a job of its own, and has not. */
@HandlesJob(watchRun)
export class WatchRun extends JobHandler<RunData> {
  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunRepository,
    private readonly endings: RunEndings,
  ) {
    super();
  }

  async run(job: JobRun<RunData>): Promise<void> {
    const run = await this.database.ask(this.runs.byId(toId('toolRun', job.data.runId)));
    // A run that was suspended is continued by jobs of its own.
    if (run?.state !== 'running' || run.wasSuspended) return;
    const error = { code: 'RUN_ABANDONED', message: 'The caller of the run did not come back for its result.' };
    await job.finish((tx) => this.endings.fail(tx, run, error));
  }
}
