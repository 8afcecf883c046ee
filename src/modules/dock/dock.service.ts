import { Injectable } from '@nestjs/common';
import { type AdminActor, actorLabel } from '../../kernel/actor.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Notices } from '../../platform/redis/notices.js';
import { Download } from '../../platform/transfer/download.js';
import { Project } from '../tenancy/project.entity.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { DockJob, type NewDockJob, rowOf, topicOf } from './dock-job.entity.js';
import { type DockJobFilter, DockJobRepository } from './dock-job.repository.js';
import { DockLinks } from './dock-links.js';
import { DockWorks } from './dock-works.js';
import { dockErrors } from './dock.errors.js';
import { runDockJob } from './dock.jobs.js';
import { type DockJobAnswer, type DockJobView, toDockJobAnswer, toDockJobView } from './dock.schema.js';

export { dockErrors } from './dock.errors.js';
export { DockJobAnswer, DockJobView, toDockJobAnswer, toDockJobView } from './dock.schema.js';

export interface DockStart extends Omit<NewDockJob, 'data'> {
  projectId: Id<'project'>;
  data?: unknown;
  /** For an operation that is done at once, in this transaction. */
  isSettled?: boolean;
}

/** Imports, exports, deploys and undeploys: started here, done by whoever does such work, and followed here. */
@Injectable()
export class Dock {
  /** Which target each transaction has asked about. Found free once, it stays so until that ends. */
  private readonly asked = new WeakMap<Transaction, { targetId: string; isFree: Promise<void> }>();

  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly dockJobs: DockJobRepository,
    private readonly jobs: Jobs,
    private readonly works: DockWorks,
    private readonly links: DockLinks,
    private readonly notices: Notices,
    private readonly audit: AuditTrail,
  ) {}

  /** In the transaction of what starts it. Refuses while another one runs for the target. */
  async start(tx: Transaction, { projectId, isSettled = false, data = null, ...wish }: DockStart): Promise<DockJob> {
    await this.checkFree(tx, wish.targetId);
    const dockJob = new DockJob(tx.em.getReference(Project, projectId), { ...wish, data });
    if (isSettled) dockJob.succeed(null);
    else dockJob.jobId = newId('job');
    const written = this.dockJobs.add(rowOf(dockJob));
    this.audit.noteCreated(tx, dockJob);
    if (!dockJob.jobId) {
      tx.defer(written);
      return dockJob;
    }
    const found = this.works.find(wish.jobType, wish.action);
    if (!found) throw new Error(`Nobody does dock jobs of the kind ${wish.jobType} ${wish.action}`);
    found.options.data.parse(data);
    this.asked.delete(tx);
    const options = { id: dockJob.jobId, lane: `dock:${wish.targetId}`, projectId, together: [written] };
    await this.jobs.add(tx, runDockJob, { dockJobId: dockJob.id }, options);
    return dockJob;
  }

  /** As the operation that started it answers. */
  answer(dockJob: DockJob): DockJobAnswer {
    return toDockJobAnswer(dockJob, this.linkTo(dockJob));
  }

  /** As it is read afterwards; the link in it is fresh. */
  view(dockJob: DockJob): DockJobView {
    return toDockJobView(dockJob, this.linkTo(dockJob));
  }

  async read(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    return found(await this.dockJobs.inProject(projectId, dockJobId));
  }

  /** One that was started just now, once it has ended or after so long. Not within a transaction: nobody could begin what is not committed. */
  async ended({ id }: DockJob, withinMs: number, signal: AbortSignal): Promise<DockJob> {
    const read = () => this.dockJobs.byId(id);
    const isOver = (dockJob: DockJob | null) => dockJob?.isOver ?? true;
    return found(await this.notices.ended(topicOf(id), read, isOver, { withinMs, signal, isNew: true }));
  }

  async list(projectId: Id<'project'>, filter: DockJobFilter, request: PageRequest): Promise<Page<DockJob>> {
    await this.tenancy.project(projectId);
    return this.dockJobs.page(projectId, filter, request);
  }

  async readForAdministration(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    await this.tenancy.project(projectId);
    return this.read(projectId, dockJobId);
  }

  /** Its work is told to stop; whatever that still does has no effect. */
  cancel(actor: AdminActor, projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    return this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      const dockJob = found(await this.dockJobs.lockInProject(projectId, dockJobId));
      const isCancelled =
        !dockJob.isOver && (await this.jobs.cancel(tx, dockJob.jobId!, `Cancelled by ${actorLabel(actor)}`));
      if (!isCancelled) throw dockErrors.dockJobEnded();
      return dockJob;
    });
  }

  async download(dockStatusId: Id<'dockJob'>, expires: number, signature: string): Promise<Download> {
    this.links.check(dockStatusId, expires, signature);
    const dockJob = found(await this.dockJobs.byId(dockStatusId));
    if (!dockJob.isOver) throw dockErrors.exportNotReady({ dockStatusId });
    const exports = this.works.exportsOf(dockJob.jobType);
    if (dockJob.status === 'FAILED' || !exports) throw dockErrors.exportFailed({ dockStatusId });
    return new Download(await exports.open(dockJob));
  }

  /** Refuses while a job runs for the target. Whoever starts one at this moment waits until this transaction ends. */
  checkFree(tx: Transaction, targetId: string): Promise<void> {
    const asked = this.asked.get(tx);
    if (asked?.targetId === targetId) return asked.isFree;
    const isFree = this.lockFree(tx, targetId);
    this.asked.set(tx, { targetId, isFree });
    return isFree;
  }

  private async lockFree(tx: Transaction, targetId: string): Promise<void> {
    const [, running] = await tx.askAll([this.dockJobs.lockTarget(targetId), this.dockJobs.runningFor(targetId)]);
    if (running) throw dockErrors.jobInProgress({ dockStatusId: running.id, action: running.action });
  }

  private linkTo({ id, action, jobType }: DockJob): string | undefined {
    return action === 'EXPORT' && this.works.exportsOf(jobType) ? this.links.to(id) : undefined;
  }
}

function found(dockJob: DockJob | null): DockJob {
  if (!dockJob) throw dockErrors.dockJobNotFound();
  return dockJob;
}
