import type { EntityManager } from '@mikro-orm/postgresql';
import { type Id, toId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Log } from '../../platform/telemetry/log.js';
import type { DockJob } from './dock-job.entity.js';
import { DockJobRepository } from './dock-job.repository.js';
import { type DockAttempt, DockAttempts } from './dock-attempts.js';
import { DockEnds } from './dock-ends.js';
import { DockRun } from './dock-run.js';
import { DockWorks } from './dock-works.js';
import type { DockError, DockSubject } from './dock.port.js';
import { runDockJob } from './dock.jobs.js';

const DIED = 'The process that did it died, each time it was tried. Start the operation again.';

/** Does what a dock job promises, as often as its work may be tried. */
@HandlesJob(runDockJob)
export class RunDockJob extends JobHandler<{ dockJobId: string }> {
  constructor(
    private readonly works: DockWorks,
    private readonly jobs: DockJobRepository,
    private readonly attempts: DockAttempts,
    private readonly ends: DockEnds,
    private readonly database: Database,
    private readonly log: Log,
  ) {
    super();
  }

  async run(job: JobRun<{ dockJobId: string }>): Promise<void> {
    const dockJobId = toId('dockJob', job.data.dockJobId);
    const attempt = await this.attempts.begin(dockJobId);
    await (attempt ? this.try(job, attempt) : job.finish());
    this.ends.tell(dockJobId);
  }

  /** Whoever cancels the job, or the job that does it, is here. */
  override async gaveUp(em: EntityManager, { dockJobId }: { dockJobId: string }, reason: string): Promise<void> {
    const dockJob = await this.jobs.lockById(toId('dockJob', dockJobId));
    if (!dockJob || dockJob.isOver) return;
    await this.giveUp(em, dockJob, { code: 'JOB_CANCELLED', message: `${reason}.` });
    this.database.afterCommit(() => this.ends.tell(dockJob.id));
  }

  private async try(job: JobRun<unknown>, attempt: DockAttempt): Promise<void> {
    const { dockJobId, jobType, action, number } = attempt;
    const found = this.works.find(jobType, action);
    if (!found) {
      await this.attempts.forgive(dockJobId, number);
      throw new Error(`Nobody here does dock jobs of the kind ${jobType} ${action}`);
    }
    if (number > found.options.attempts) return this.end(job, dockJobId, { code: 'WORKER_DIED', message: DIED });
    const subject = { ...attempt, data: found.options.data.parse(attempt.data) };
    const run = new DockRun(subject, number, job, this.jobs, this.attempts);
    try {
      await found.work.run(run);
      if (!run.isOver) throw new Error('It ended without saying how');
    } catch (error) {
      if (run.isOver) throw error;
      // It was not its own fault: the process stops, or the job is another one's by now.
      if (job.signal.aborted) await this.attempts.forgive(dockJobId, number);
      else if (number >= found.options.attempts) {
        this.log.warn({ dockJobId, err: error }, 'A dock job failed');
        return this.end(job, dockJobId, { code: 'INTERNAL', message: FAILED });
      }
      throw error;
    }
  }

  private async end(job: JobRun<unknown>, dockJobId: Id<'dockJob'>, error: DockError): Promise<void> {
    await job.finish(async (em) => {
      const dockJob = (await this.jobs.lockById(dockJobId))!;
      if (!dockJob.isOver) await this.giveUp(em, dockJob, error);
    });
  }

  private async giveUp(em: EntityManager, dockJob: DockJob, error: DockError): Promise<void> {
    dockJob.fail(error.code, error.message);
    const found = this.works.find(dockJob.jobType, dockJob.action);
    await found?.work.gaveUp(em, subjectOf(dockJob, found.options.data.parse(dockJob.data)), error);
  }
}

const FAILED = 'It failed for a reason that lies in the service; the log has it. Start the operation again.';

function subjectOf(dockJob: DockJob, data: unknown): DockSubject<unknown> {
  return { dockJobId: dockJob.id, projectId: dockJob.project.id, targetId: dockJob.targetId, data };
}
