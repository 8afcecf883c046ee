import { type Id, toId } from '../../kernel/ids.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Notifications } from '../../platform/redis/notifications.js';
import { Log } from '../../platform/telemetry/log.js';
import { type DockJob, topicOf } from './dock-job.entity.js';
import { DockJobRepository } from './dock-job.repository.js';
import { DockRun } from './dock-run.js';
import { DockWorks, type FoundWork } from './dock-works.js';
import type { DockError, DockSubject } from './dock.port.js';
import { MOST_ATTEMPTS, runDockJob, type RunDockJobData } from './dock.jobs.js';

type Work = NonNullable<RunDockJobData['work']>;

/** The delay before another attempt at work that this process does not know, which another process may do. */
const UNKNOWN_WORK_DELAY_SECONDS = 30;
const DIED = 'In every attempt, the process that did the operation died. Start the operation again.';

/** Does the work of a dock job, in as many attempts as the work allows. */
@HandlesJob(runDockJob)
export class RunDockJob extends JobHandler<RunDockJobData> {
  constructor(
    private readonly works: DockWorks,
    private readonly jobs: DockJobRepository,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {
    super();
  }

  async run(job: JobRun<RunDockJobData>): Promise<void> {
    const dockJobId = toId('dockJob', job.data.dockJobId);
    const work = await this.workOf(job, dockJobId);
    await (work ? this.try(job, dockJobId, work) : job.finish());
  }

  /** Takes the locks in the same order as an attempt that ends: the dock job, then the rows of its work. */
  override async lock(tx: Transaction, { dockJobId }: { dockJobId: string }): Promise<void> {
    const dockJob = await this.jobs.lockById(tx, toId('dockJob', dockJobId));
    if (!dockJob || dockJob.isOver) return;
    const found = this.works.find(dockJob.jobType, dockJob.action);
    await found?.work.lock(tx, subjectOf(dockJob, found));
  }

  /** Called when an administrator cancels the dock job, or the job that does its work. */
  override async onFailed(tx: Transaction, { dockJobId }: { dockJobId: string }, reason: string): Promise<void> {
    const dockJob = await this.jobs.lockById(tx, toId('dockJob', dockJobId));
    if (!dockJob || dockJob.isOver) return;
    await this.fail(tx, dockJob, { code: 'JOB_CANCELLED', message: `${reason}.` });
  }

  /**
   * Returns the work, or null if the dock job has ended. The first attempt need not read the row, because the job was
   * committed together with it.
   */
  private async workOf({ attempt, data }: JobRun<RunDockJobData>, dockJobId: Id<'dockJob'>): Promise<Work | null> {
    return attempt === 1 && data.work ? data.work : this.database.ask(this.jobs.running(dockJobId));
  }

  private async try(job: JobRun<unknown>, dockJobId: Id<'dockJob'>, work: Work): Promise<void> {
    const { targetId, jobType, action } = work;
    const found = this.works.find(jobType, action);
    if (!found) return this.leaveToOthers(job, dockJobId);
    const { attempts } = found.options;
    if (job.countedAttempts > attempts) return this.end(job, dockJobId, { code: 'WORKER_DIED', message: DIED });
    const data: unknown = found.options.data.parse(work.data);
    const subject = { dockJobId, projectId: toId('project', work.projectId), targetId, data };
    const run = new DockRun(subject, job, this.jobs, this.database, this.audit, this.notifications);
    try {
      await found.work.run(run);
      if (!run.isOver) throw new Error('The work returned without an outcome');
    } catch (error) {
      // An aborted attempt has not failed: the process stops, or the job has been reclaimed.
      if (run.isOver || job.signal.aborted || job.countedAttempts < attempts) throw error;
      this.log.warn({ dockJobId, err: error }, 'A dock job failed');
      return this.end(job, dockJobId, { code: 'INTERNAL', message: FAILED });
    } finally {
      run.close();
    }
  }

  /** Leaves the job to a process that knows its work, such as one of a newer release. */
  private async leaveToOthers(job: JobRun<unknown>, dockJobId: Id<'dockJob'>): Promise<void> {
    if (job.attempt >= MOST_ATTEMPTS) return this.end(job, dockJobId, { code: 'INTERNAL', message: UNKNOWN });
    await job.release(UNKNOWN_WORK_DELAY_SECONDS);
  }

  private async end(job: JobRun<unknown>, dockJobId: Id<'dockJob'>, error: DockError): Promise<void> {
    await job.finish(async (tx) => {
      const dockJob = (await this.jobs.lockById(tx, dockJobId))!;
      if (!dockJob.isOver) await this.fail(tx, dockJob, error);
    });
  }

  private async fail(tx: Transaction, dockJob: DockJob, error: DockError): Promise<void> {
    dockJob.fail(error.code, error.message);
    tx.afterCommit(() => this.notifications.notify(topicOf(dockJob.id)));
    const found = this.works.find(dockJob.jobType, dockJob.action);
    await found?.work.onFailed(tx, subjectOf(dockJob, found), error);
  }
}

const UNKNOWN = 'No process of the service supports this operation any more. Ask the administrator of the service.';
const FAILED = 'The operation failed because of a fault of the service, which is in its log. Start it again.';

function subjectOf(dockJob: DockJob, { options }: FoundWork): DockSubject<unknown> {
  const data = options.data.parse(dockJob.data);
  return { dockJobId: dockJob.id, projectId: dockJob.project.id, targetId: dockJob.targetId, data };
}
