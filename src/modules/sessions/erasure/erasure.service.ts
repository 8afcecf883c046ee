import { Injectable } from '@nestjs/common';
import { type AdminActor, SYSTEM } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { JobRun } from '../../../platform/queue/job-run.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { LedgerWriting } from '../../ledger/write/ledger-writing.service.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { TracesService } from '../../traces/traces.service.js';
import { SessionEnding } from '../ending.service.js';
import { AttachmentRepository } from '../attachments/attachment.repository.js';
import { type ErasureReport, type ErasureRow, reportOf } from './erasure.entity.js';
import { ErasureRepository } from './erasure.repository.js';
import { SessionRepository } from '../session.repository.js';
import { SessionKeepers } from './session-keepers.js';
import { sessionsErrors } from '../sessions.errors.js';
import { eraseUser, type UserToErase } from '../sessions.jobs.js';
import type { User } from '../user.entity.js';
import { userList, type UsersRequest } from '../user.list.js';
import { UserRepository } from '../user.repository.js';

const AT_A_TIME = 50;

/** Erases what is kept of a user: sessions with their content, traces, and texts in the ledger. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly users: UserRepository,
    private readonly erasures: ErasureRepository,
    private readonly sessions: SessionRepository,
    private readonly attachments: AttachmentRepository,
    private readonly ending: SessionEnding,
    private readonly traces: TracesService,
    private readonly ledger: LedgerWriting,
    private readonly keepers: SessionKeepers,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
  ) {}

  async listUsers(appId: Id<'app'>, request: UsersRequest): Promise<Page<User>> {
    const app = await this.tenancy.app(appId);
    return userList.page(this.users, { app }, request);
  }

  start(actor: AdminActor, appId: Id<'app'>, userId: Id<'user'>): Promise<ErasureRow> {
    return this.database.transaction(actor, async (tx) => {
      const { project } = await this.tenancy.app(appId);
      // A missing user has been erased, or never existed.
      if (!(await tx.ask(this.users.isIn(appId, userId)))) return this.read(appId, userId);
      const erasure = await tx.ask(this.erasures.begin({ projectId: project.id, appId, userId }));
      await this.jobs.add(tx, eraseUser, { userId, appId, projectId: project.id }, { projectId: project.id });
      const change = { kind: 'user', targetId: userId, projectId: project.id, change: 'deleted' as const };
      this.audit.note(tx, { ...change, before: null, after: null });
      return erasure;
    });
  }

  async read(appId: Id<'app'>, userId: Id<'user'>): Promise<ErasureRow> {
    const app = await this.tenancy.app(appId);
    const erasure = await this.database.ask(this.erasures.ofUser(app.id, userId));
    if (erasure) return erasure;
    const isKnown = await this.database.ask(this.users.isIn(app.id, userId));
    throw isKnown ? sessionsErrors.erasureNotFound() : sessionsErrors.userNotFound();
  }

  /** Erases one session at a time and counts it in the same transaction, so that a later attempt continues. */
  async erase(job: JobRun<UserToErase>): Promise<void> {
    const { userId, projectId } = job.data;
    for (;;) {
      const some = await this.database.ask(this.sessions.ofUser(userId, AT_A_TIME));
      if (some.length === 0) break;
      for (const sessionId of some) {
        job.signal.throwIfAborted();
        await this.eraseSession(projectId, userId, sessionId);
      }
    }
    await job.finish(async (tx) => {
      await tx.askAll([this.users.delete(userId), this.erasures.finish(userId, 'done')]);
    });
  }

  async lock(tx: Transaction, userId: Id<'user'>): Promise<void> {
    await tx.ask(this.erasures.lock(userId));
  }

  async fail(tx: Transaction, userId: Id<'user'>): Promise<void> {
    await tx.ask(this.erasures.finish(userId, 'failed'));
  }

  private async eraseSession(projectId: Id<'project'>, userId: Id<'user'>, sessionId: Id<'session'>): Promise<void> {
    await this.database.transaction(SYSTEM, async (tx) => {
      const session = await tx.ask(this.sessions.lock(sessionId));
      if (!session) return;
      await this.ending.end(tx, session, 'erased');
      await tx.em.flush();
      const more = await this.keepers.forget(tx, session);
      const { traces, observations } = await this.traces.deleteOfSession(tx, projectId, sessionId);
      const payloads = await this.ledger.deletePayloads(tx, projectId, sessionId);
      const [fileIds] = await tx.askAll([this.attachments.deleteOfSession(sessionId), this.sessions.delete(sessionId)]);
      const report = { sessions: 1, traces, observations, payloads, attachments: fileIds.length, ...more };
      await this.add(tx, userId, report, fileIds);
    });
  }

  private async add(
    tx: Transaction,
    userId: Id<'user'>,
    more: Partial<ErasureReport>,
    fileIds: readonly Id<'file'>[],
  ): Promise<void> {
    const erasure = await tx.ask(this.erasures.lock(userId));
    if (!erasure) return;
    const report = reportOf(erasure);
    for (const name of Object.keys(report) as (keyof ErasureReport)[]) report[name] += more[name] ?? 0;
    await tx.ask(this.erasures.report(userId, report, fileIds));
  }
}
