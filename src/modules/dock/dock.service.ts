import { Injectable } from '@nestjs/common';
import { type Actor, type AdminActor, actorLabel, type KeyActor } from '../../kernel/actor.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { KeyDirectory } from '../../platform/auth/key-directory.js';
import { permits } from '../../platform/auth/permission.guard.js';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Notifications } from '../../platform/redis/notifications.js';
import { Download } from '../../platform/transfer/download.js';
import { Project } from '../tenancy/project.entity.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { type DockNotification, DockJob, isEnding, type NewDockJob, rowOf, topicOf } from './dock-job.entity.js';
import { dockJobList, type DockJobsRequest } from './dock-job.list.js';
import { DockJobRepository } from './dock-job.repository.js';
import { DockLinks } from './dock-links.js';
import { DockWorks } from './dock-works.js';
import { dockErrors } from './dock.errors.js';
import { runDockJob } from './dock.jobs.js';
import { type DockJobAnswer, type DockJobView, toDockJobAnswer, toDockJobView } from './dock.schema.js';

/** The permission to work with the items of another scope. */
const MANAGES = 'DOCK_MANAGE';

export interface DockStart extends Omit<NewDockJob, 'data'> {
  projectId: Id<'project'>;
  data?: unknown;
  /** Whether the operation is done at once, in this transaction. */
  isSettled?: boolean;
}

/** Starts, shows and cancels dock jobs. Providers marked with `DoesDockWork` do the work. */
@Injectable()
export class Dock {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly dockJobs: DockJobRepository,
    private readonly jobs: Jobs,
    private readonly works: DockWorks,
    private readonly links: DockLinks,
    private readonly notifications: Notifications,
    private readonly audit: AuditTrail,
    private readonly keys: KeyDirectory,
  ) {}

  /**
   * Runs a use case that locks its target and starts a dock job. A unique index allows one running job for each target.
   * A second one is refused with the id of the first.
   */
  async starting<T>(actor: Actor, targetId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(actor, work);
    } catch (error) {
      if (!isSecondOfTarget(error)) throw error;
    }
    refuseRunning(await this.database.ask(this.dockJobs.runningFor(targetId)));
    // The other job has ended meanwhile, so the target is free.
    return this.starting(actor, targetId, work);
  }

  /**
   * Refuses a key without the permission for tools and models of another scope or of an administrator. The permission is
   * read again, because the key may have lost it since the request began.
   */
  async mustManage(actor: Actor, madeBy: Id<'scope'> | null, what = 'it'): Promise<void> {
    if (actor.kind !== 'key' || actor.scopeId === madeBy) return;
    if (permits((await this.keys.readAgain(actor)) ?? undefined, MANAGES)) return;
    throw authErrors.permissionDenied(
      { whose: `of the scope that made ${what}, or with ${MANAGES}` },
      { required: [MANAGES] },
    );
  }

  /** Starts a dock job in a transaction that has locked the target (see `starting`). */
  async start(tx: Transaction, { projectId, isSettled = false, data = null, ...members }: DockStart): Promise<DockJob> {
    if (isSettled) await this.checkFree(tx, members.targetId);
    const dockJob = new DockJob(tx.em.getReference(Project, projectId), { ...members, data });
    if (isSettled) dockJob.succeed(null);
    else dockJob.jobId = newId('job');
    const written = this.dockJobs.add(rowOf(dockJob));
    this.audit.noteCreated(tx, dockJob);
    if (dockJob.jobId) await this.addJob(tx, dockJob, dockJob.jobId, written);
    else tx.defer(written);
    return dockJob;
  }

  /** Returns the answer of the operation that started the dock job. */
  answer(dockJob: DockJob): DockJobAnswer {
    return toDockJobAnswer(dockJob, this.linkTo(dockJob));
  }

  /** Returns the state of a dock job, with a new link to its export. */
  view(dockJob: DockJob): DockJobView {
    return toDockJobView(dockJob, this.linkTo(dockJob));
  }

  /** Returns the state for a key, without the link if the key may not export the target. */
  viewFor(actor: KeyActor, dockJob: DockJob): DockJobView {
    const mayOpen = dockJob.scopeId === actor.scopeId || permits(actor, MANAGES);
    return mayOpen ? this.view(dockJob) : toDockJobView(dockJob);
  }

  async read(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    return found(await this.dockJobs.inProject(projectId, dockJobId));
  }

  /**
   * Waits until a new dock job has ended, or for the given time, and returns it. This must not be called within the
   * transaction that started it, because no worker sees the job before the commit.
   */
  async ended(dockJob: DockJob, withinMs: number, signal: AbortSignal): Promise<DockJob> {
    const follow = { withinMs, signal, isNew: true };
    for await (const mailbox of this.notifications.follow<DockNotification>(topicOf(dockJob.id), follow)) {
      const ending = mailbox.all().find(isEnding);
      if (ending) {
        dockJob.end(ending);
        return dockJob;
      }
      const seen = await this.dockJobs.byId(dockJob.id);
      if (seen?.isOver !== false) return found(seen);
    }
    return dockJob;
  }

  async list(projectId: Id<'project'>, request: DockJobsRequest): Promise<Page<DockJob>> {
    await this.tenancy.project(projectId);
    return dockJobList.page(this.dockJobs, { project: projectId }, request);
  }

  async readForAdministration(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    await this.tenancy.project(projectId);
    return this.read(projectId, dockJobId);
  }

  /** Cancels a dock job. Its work is aborted, and nothing that it still does has an effect. */
  cancel(actor: AdminActor, projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob> {
    return this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      const dockJob = found(await this.dockJobs.lockInProject(tx, projectId, dockJobId));
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

  /** Refuses while a job runs for the target. If the transaction has locked the target, it stays free until the commit. */
  async checkFree(tx: Transaction, targetId: string): Promise<void> {
    refuseRunning(await tx.ask(this.dockJobs.runningFor(targetId)));
  }

  /** Adds the job that does the work, and writes the dock job and the audit entries in the same statement. */
  private async addJob(
    tx: Transaction,
    { id: dockJobId, project: { id: projectId }, targetId, jobType, action, data }: DockJob,
    jobId: Id<'job'>,
    written: Statement<void>,
  ): Promise<void> {
    const work = this.works.find(jobType, action);
    if (!work) throw new Error(`No module does dock jobs of the kind ${jobType} ${action}`);
    work.options.data.parse(data);
    const audited = await this.audit.statement(tx);
    const together = audited ? [written, audited] : [written];
    const jobData = { dockJobId, work: { projectId, targetId, jobType, action, data } };
    await this.jobs.add(tx, runDockJob, jobData, { id: jobId, lane: `dock:${targetId}`, projectId, together });
  }

  private linkTo({ id, action, jobType }: DockJob): string | undefined {
    return action === 'EXPORT' && this.works.exportsOf(jobType) ? this.links.to(id) : undefined;
  }
}

function refuseRunning(running: Pick<DockJob, 'id' | 'action'> | null): void {
  if (running) throw dockErrors.jobInProgress({ dockStatusId: running.id, action: running.action });
}

function isSecondOfTarget(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'dock_job_running';
}

function found(dockJob: DockJob | null): DockJob {
  if (!dockJob) throw dockErrors.dockJobNotFound();
  return dockJob;
}
