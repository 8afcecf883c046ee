import { Injectable } from '@nestjs/common';
import { type AdminActor, SYSTEM } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { LedgerWriting } from '../ledger/ledger-writing.service.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { TracesService } from '../traces/traces.service.js';
import { SessionEnding } from './ending.service.js';
import { type AppUser, type Erasure, ErasureStore } from './erasure-store.js';
import { SessionKeepers } from './session-keepers.js';
import { SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import { eraseUser, type UserToErase } from './sessions.jobs.js';

const AT_A_TIME = 50;

/** Takes away what is kept of a user: sessions, all that was said in them or because of them, traces, texts in the ledger. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly store: ErasureStore,
    private readonly sessions: SessionStore,
    private readonly ending: SessionEnding,
    private readonly traces: TracesService,
    private readonly ledger: LedgerWriting,
    private readonly keepers: SessionKeepers,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
  ) {}

  async users(appId: Id<'app'>, reference: string | undefined, request: PageRequest): Promise<Page<AppUser>> {
    const app = await this.tenancy.app(appId);
    return this.store.users(app.id, reference, request);
  }

  start(actor: AdminActor, appId: Id<'app'>, userId: Id<'user'>): Promise<Erasure> {
    return this.database.transaction(actor, async (em) => {
      const { project } = await this.tenancy.app(appId);
      // One who is gone has been erased, or was never there.
      if (!(await this.store.hasUser(appId, userId))) return this.read(appId, userId);
      const erasure = await this.store.begin(em, project.id, appId, userId);
      await this.jobs.add(em, eraseUser, { userId, appId, projectId: project.id }, { projectId: project.id });
      const change = { kind: 'user', targetId: userId, projectId: project.id, change: 'deleted' as const };
      this.audit.note(em, { ...change, before: null, after: null });
      return erasure;
    });
  }

  async read(appId: Id<'app'>, userId: Id<'user'>): Promise<Erasure> {
    const app = await this.tenancy.app(appId);
    const erasure = await this.store.read(app.id, userId);
    if (erasure) return erasure;
    const isKnown = await this.store.hasUser(app.id, userId);
    throw isKnown ? sessionsErrors.erasureNotFound() : sessionsErrors.userNotFound();
  }

  /** A session at a time: one that was taken away is counted in the same transaction. */
  async erase(job: JobRun<UserToErase>): Promise<void> {
    const { userId, projectId } = job.data;
    for (;;) {
      const some = await this.store.sessionsOf(userId, AT_A_TIME);
      if (some.length === 0) break;
      for (const sessionId of some) {
        job.signal.throwIfAborted();
        await this.eraseSession(projectId, userId, sessionId);
      }
    }
    await job.finish((em) => this.store.finish(em, userId, 'done'));
  }

  private async eraseSession(projectId: Id<'project'>, userId: Id<'user'>, sessionId: Id<'session'>): Promise<void> {
    await this.database.transaction(SYSTEM, async (em) => {
      const session = await this.sessions.holdById(em, sessionId);
      if (!session) return;
      await this.ending.end(em, session, 'erased');
      await em.flush();
      const more = await this.keepers.forget(em, session);
      const { traces, observations } = await this.traces.forget(em, projectId, sessionId);
      const payloads = await this.ledger.forgetPayloads(em, projectId, sessionId);
      const fileIds = await this.store.deleteSession(em, sessionId);
      const report = { sessions: 1, traces, observations, payloads, attachments: fileIds.length, ...more };
      await this.store.add(em, userId, report, fileIds);
    });
  }
}
