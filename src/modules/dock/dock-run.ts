import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import type { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import type { Notifications } from '../../platform/redis/notifications.js';
import { type DockEnding, type DockProgress, topicOf } from './dock-job.entity.js';
import type { DockJobRepository } from './dock-job.repository.js';
import type { DockSubject, DockTask } from './dock.port.js';

/** The interval at which progress is written. People cannot follow shorter ones. */
const NOTED_EVERY_MS = 250;
/** A dock job that ends within this time writes no progress, because no client has seen it running. */
const SEEN_AFTER_MS = 50;

/** One attempt at a dock job. Its effect is behind the fence of the job that does the work. */
export class DockRun implements DockTask<unknown> {
  readonly dockJobId: Id<'dockJob'>;
  readonly projectId: Id<'project'>;
  readonly targetId: string;
  readonly data: unknown;
  isOver = false;
  private readonly startedAt = clock.now();
  private latest: DockProgress | null = null;
  private notedAt = -NOTED_EVERY_MS;
  private timer: NodeJS.Timeout | undefined;
  /** The writes of progress, which run one after another and beside the work. */
  private noting: Promise<void> = Promise.resolve();

  constructor(
    subject: DockSubject<unknown>,
    private readonly job: JobRun<unknown>,
    private readonly jobs: DockJobRepository,
    private readonly database: Database,
    private readonly audit: AuditTrail,
    private readonly notifications: Notifications,
  ) {
    ({ dockJobId: this.dockJobId, projectId: this.projectId, targetId: this.targetId, data: this.data } = subject);
    // The first write shows that the attempt has begun.
    this.noteSoon();
  }

  get signal(): AbortSignal {
    return this.job.signal;
  }

  progress(percentage: number, stage: string): void {
    // Only SUCCESS has 100 per cent.
    this.latest = { percentageComplete: Math.max(0, Math.min(99, Math.floor(percentage))), stage };
    this.noteSoon();
  }

  /** Stops writing progress when the attempt has ended in any way. */
  close(): void {
    clearTimeout(this.timer);
  }

  async succeed(effect: (tx: Transaction) => Promise<Record<string, unknown> | void>): Promise<void> {
    await this.end(async (tx) => {
      const response = (await effect(tx)) ?? null;
      return { status: 'SUCCESS', response };
    });
  }

  async fail(code: string, message: string, effect?: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.end(async (tx) => {
      await effect?.(tx);
      return { status: 'FAILED', errorCode: code, errorMessage: message };
    });
  }

  private noteSoon(): void {
    const soonest = this.notedAt + NOTED_EVERY_MS - performance.now();
    this.timer ??= setTimeout(() => this.note(), Math.max(SEEN_AFTER_MS, soonest));
  }

  private note(): void {
    this.timer = undefined;
    this.notedAt = performance.now();
    const noted = this.jobs.noteProgress(this.dockJobId, this.job.countedAttempts, this.startedAt, this.latest);
    // Progress that cannot be written does not fail the work.
    this.noting = this.noting
      .then(() => this.database.ask(noted))
      .then(() => this.notify(this.latest))
      .catch(() => undefined);
  }

  private notify(progress: DockProgress | null): void {
    // After an abort, another attempt sends the notifications.
    if (!this.signal.aborted) this.notifications.notify(topicOf(this.dockJobId), progress ?? undefined);
  }

  private async end(effect: (tx: Transaction) => Promise<DockEnding>): Promise<void> {
    const { dockJobId } = this;
    this.close();
    await this.job.finishWith(async (tx) => {
      tx.defer(this.jobs.lockRunning(dockJobId));
      const ending = await effect(tx);
      await tx.em.flush();
      const finishedAt = clock.now();
      this.noteEnding(tx, { ...ending, finishedAt });
      // Followers are notified right after the commit, because the end of the job serves its lane first.
      tx.afterCommit(() => this.notifications.notify(topicOf(dockJobId), ending));
      return [this.jobs.end(dockJobId, ending, this.startedAt, finishedAt)];
    });
    this.isOver = true;
  }

  private noteEnding(tx: Transaction, after: DockEnding & { finishedAt: Date }): void {
    const before = Object.fromEntries(Object.keys(after).map((name) => [name, null]));
    const what = { kind: 'dockJob', targetId: this.dockJobId, projectId: this.projectId };
    this.audit.note(tx, { ...what, change: 'changed', before: { ...before, status: 'IN_PROGRESS' }, after });
  }
}
