import { type Id, toId } from '../../kernel/ids.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Notices } from '../../platform/redis/notices.js';
import { Log } from '../../platform/telemetry/log.js';
import { type DockJob, type DockJobRow, topicOf } from './dock-job.entity.js';
import { DockJobRepository } from './dock-job.repository.js';
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
    private readonly database: Database,
    private readonly notices: Notices,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {
    super();
  }

  async run(job: JobRun<{ dockJobId: string }>): Promise<void> {
    const dockJobId = toId('dockJob', job.data.dockJobId);
    const dockJob = await this.database.ask(this.jobs.beginAttempt(dockJobId));
    // That it has begun is seen too.
    if (dockJob) this.notices.tell(topicOf(dockJobId));
    await (dockJob ? this.try(job, dockJob) : job.finish());
    this.notices.tell(topicOf(dockJobId));
  }

  /** Whoever cancels the job, or the job that does it, is here. */
  override async gaveUp(tx: Transaction, { dockJobId }: { dockJobId: string }, reason: string): Promise<void> {
    const dockJob = await this.jobs.lockById(toId('dockJob', dockJobId));
    if (!dockJob || dockJob.isOver) return;
    await this.giveUp(tx, dockJob, { code: 'JOB_CANCELLED', message: `${reason}.` });
    tx.afterCommit(() => this.notices.tell(topicOf(dockJob.id)));
  }

  private async try(job: JobRun<unknown>, dockJob: DockJobRow): Promise<void> {
    const { id: dockJobId, projectId, targetId, jobType, action, attempts } = dockJob;
    const found = this.works.find(jobType, action);
    if (!found) {
      await this.forgive(dockJob);
      throw new Error(`Nobody here does dock jobs of the kind ${jobType} ${action}`);
    }
    if (attempts > found.options.attempts) return this.end(job, dockJobId, { code: 'WORKER_DIED', message: DIED });
    const subject = { dockJobId, projectId, targetId, data: found.options.data.parse(dockJob.data) };
    const run = new DockRun(subject, attempts, job, this.jobs, this.database, this.audit, this.notices);
    try {
      await found.work.run(run);
      if (!run.isOver) throw new Error('It ended without saying how');
    } catch (error) {
      if (run.isOver) throw error;
      // It was not its own fault: the process stops, or the job is another one's by now.
      if (job.signal.aborted) await this.forgive(dockJob);
      else if (attempts >= found.options.attempts) {
        this.log.warn({ dockJobId, err: error }, 'A dock job failed');
        return this.end(job, dockJobId, { code: 'INTERNAL', message: FAILED });
      }
      throw error;
    } finally {
      run.close();
    }
  }

  private forgive({ id, attempts }: DockJobRow): Promise<void> {
    return this.database.ask(this.jobs.forgiveAttempt(id, attempts));
  }

  private async end(job: JobRun<unknown>, dockJobId: Id<'dockJob'>, error: DockError): Promise<void> {
    await job.finish(async (tx) => {
      const dockJob = (await this.jobs.lockById(dockJobId))!;
      if (!dockJob.isOver) await this.giveUp(tx, dockJob, error);
    });
  }

  private async giveUp(tx: Transaction, dockJob: DockJob, error: DockError): Promise<void> {
    dockJob.fail(error.code, error.message);
    const found = this.works.find(dockJob.jobType, dockJob.action);
    await found?.work.gaveUp(tx, subjectOf(dockJob, found.options.data.parse(dockJob.data)), error);
  }
}

const FAILED = 'It failed for a reason that lies in the service; the log has it. Start the operation again.';

function subjectOf(dockJob: DockJob, data: unknown): DockSubject<unknown> {
  return { dockJobId: dockJob.id, projectId: dockJob.project.id, targetId: dockJob.targetId, data };
}
