import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type AdminActor, actorLabel } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { type AuditedChange, AuditTrail } from '../../audit/audit-trail.js';
import { Database } from '../../database/database.js';
import { type JobFilter, JobListing, type ListedJob } from './job-listing.js';
import { JobSummaries, type JobSummary } from './job-summaries.js';
import { SHOWN } from './jobs.admin.schema.js';
import { Jobs } from '../jobs.js';
import { jobErrors } from '../jobs.errors.js';

/** What administrators see of jobs, and do to them. */
@Injectable()
export class JobsAdminService {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly listing: JobListing,
    private readonly summaries: JobSummaries,
    private readonly audit: AuditTrail,
  ) {}

  list(filter: JobFilter, request: PageRequest): Promise<Page<ListedJob>> {
    return this.listing.page(filter, request);
  }

  summarize(): Promise<JobSummary[]> {
    return this.summaries.read();
  }

  async read(jobId: Id<'job'>): Promise<ListedJob> {
    const job = await this.listing.find(jobId);
    if (!job) throw jobErrors.jobNotFound();
    return job;
  }

  cancel(actor: AdminActor, jobId: Id<'job'>): Promise<ListedJob> {
    const reason = `Cancelled by ${actorLabel(actor)}`;
    return this.change(actor, jobId, async (em) => {
      if (!(await this.jobs.cancel(em, jobId, reason))) throw jobErrors.jobEnded();
    });
  }

  retry(actor: AdminActor, jobId: Id<'job'>): Promise<ListedJob> {
    return this.change(actor, jobId, async (em) => {
      if (!(await this.jobs.retry(em, jobId))) throw jobErrors.jobNotFailed();
    });
  }

  /** The audit tells what was found and what became of it, both under the lock of the transaction. */
  private change(actor: AdminActor, jobId: Id<'job'>, work: (em: EntityManager) => Promise<void>): Promise<ListedJob> {
    return this.database.transaction(actor, async (em) => {
      const before = await this.held(em, jobId);
      await work(em);
      const after = await this.held(em, jobId);
      this.audit.note(em, {
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

  private async held(em: EntityManager, jobId: Id<'job'>): Promise<ListedJob> {
    const job = await this.listing.hold(em, jobId);
    if (!job) throw jobErrors.jobNotFound();
    return job;
  }
}

function auditedOf({ state, error }: ListedJob): AuditedChange['before'] {
  return { state: SHOWN[state], error };
}
