import type { EntityManager } from '@mikro-orm/postgresql';
import { toId } from '../../kernel/ids.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { RunEndings } from './run-endings.js';
import { RunEngine, RunLost } from './run-engine.js';
import { RunStore } from './run-store.js';
import { Suspensions } from './suspensions.js';
import { laneOf } from './tool-runs.service.js';
import { endSuspension, runTool, watchRun } from './tools.jobs.js';

type RunData = { runId: string };

@HandlesJob(runTool)
export class RunTool extends JobHandler<RunData> {
  constructor(
    private readonly engine: RunEngine,
    private readonly runs: RunStore,
    private readonly endings: RunEndings,
  ) {
    super();
  }

  async run(job: JobRun<RunData>): Promise<void> {
    await this.engine.drive(toId('run', job.data.runId), job.signal).catch((error: unknown) => {
      // It was cancelled, or another process has it: there is nothing left to do here.
      if (!(error instanceof RunLost)) throw error;
    });
    await job.finish();
  }

  override async gaveUp(em: EntityManager, { runId }: RunData, reason: string): Promise<void> {
    const run = await this.runs.byId(toId('run', runId));
    if (!run) return;
    const isCancelled = reason.startsWith('Cancelled');
    const error = isCancelled
      ? { code: 'RUN_CANCELLED', message: `${reason}.` }
      : { code: 'RUN_FAILED', message: 'It failed each time for a reason that lies in the service; the log has it.' };
    await this.endings.fail(em, run, error);
  }
}

/** What is waited for has not come in time: the flow goes on with that. */
@HandlesJob(endSuspension)
export class EndSuspension extends JobHandler<{ suspensionId: string }> {
  constructor(
    private readonly runs: RunStore,
    private readonly suspensions: Suspensions,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  async run(job: JobRun<{ suspensionId: string }>): Promise<void> {
    const suspension = await this.suspensions.find(toId('suspension', job.data.suspensionId));
    if (!suspension) return;
    const { id, runId, projectId } = suspension;
    await job.finish(async (em) => {
      if ((await this.runs.lock(em, runId)) === null) return;
      if ((await this.suspensions.stateOf(em, id)) !== 'open') return;
      await this.suspensions.expire(em, id);
      if (await this.runs.wake(em, runId))
        await this.jobs.add(em, runTool, { runId }, { projectId, lane: laneOf(runId) });
    });
  }
}

/** Runs that were somebody else's to go on with, and that nobody did go on with. */
@HandlesJob(watchRun)
export class WatchRun extends JobHandler<RunData> {
  constructor(
    private readonly runs: RunStore,
    private readonly endings: RunEndings,
  ) {
    super();
  }

  async run(job: JobRun<RunData>): Promise<void> {
    const run = await this.runs.byId(toId('run', job.data.runId));
    // Once it has waited for something, jobs of its own go on with it.
    if (run?.state !== 'running' || run.wasSuspended) return;
    const error = { code: 'RUN_ABANDONED', message: 'Whoever had the tool run did not wait for its end.' };
    await job.finish((em) => this.endings.fail(em, run, error));
  }
}
