import type { Transaction } from '../../database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type AdminActor, actorLabel } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { type AuditedChange, AuditTrail } from '../../audit/audit-trail.js';
import { Database } from '../../database/database.js';
import type { JobRow } from '../job.entity.js';
import { JobRepository } from '../job.repository.js';
import { jobList, type JobsRequest } from './job.list.js';
import { JobSummaries, type JobSummary, type LaneSummary } from './job-summaries.js';
import { SHOWN } from './jobs.admin.schema.js';
import { Jobs } from '../jobs.js';
import { jobErrors } from '../jobs.errors.js';

/** Shows jobs to administrators, and cancels or retries them. */
@Injectable()
export class JobsAdminService {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly repository: JobRepository,
    private readonly summaries: JobSummaries,
    private readonly audit: AuditTrail,
  ) {}

  list(request: JobsRequest): Promise<Page<JobRow>> {
    return jobList.page(this.repository, {}, request);
  }

  summarize(): Promise<JobSummary[]> {
    return this.summaries.byName();
  }

  lanes(limit: number): Promise<LaneSummary[]> {
    return this.summaries.byLane(limit);
  }

  async read(jobId: Id<'job'>): Promise<JobRow> {
    const job = await this.repository.findOne(jobId);
    if (!job) throw jobErrors.jobNotFound();
    return job;
  }

  cancel(actor: AdminActor, jobId: Id<'job'>): Promise<JobRow> {
    const reason = `Cancelled by ${actorLabel(actor)}`;
    return this.change(actor, jobId, async (tx) => {
      if (!(await this.jobs.cancel(tx, jobId, reason))) throw jobErrors.jobEnded();
    });
  }

  retry(actor: AdminActor, jobId: Id<'job'>): Promise<JobRow> {
    return this.change(actor, jobId, async (tx) => {
      if (!(await this.jobs.retry(tx, jobId))) throw jobErrors.jobNotFailed();
    });
  }

  /** The audit entry has the job before and after the change, both read under the lock of the transaction. */
  private change(actor: AdminActor, jobId: Id<'job'>, work: (tx: Transaction) => Promise<void>): Promise<JobRow> {
    return this.database.transaction(actor, async (tx) => {
      const before = found(await this.jobs.lock(tx, jobId));
      await work(tx);
      const after = found(await tx.ask(this.repository.byId(jobId)));
      this.audit.note(tx, {
        kind: 'job',
        targetId: jobId,
        projectId: after.projectId,
        change: 'changed',
        before: auditedOf(before),
        after: auditedOf(after),
      });
      return after;
    });
  }
}

function found(job: JobRow | null): JobRow {
  if (!job) throw jobErrors.jobNotFound();
  return job;
}

function auditedOf({ state, error }: JobRow): AuditedChange['before'] {
  return { state: SHOWN[state], error };
}
