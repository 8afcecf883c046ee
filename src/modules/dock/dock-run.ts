import type { EntityManager } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import type { DockAttempts } from './dock-attempts.js';
import type { DockJobRepository } from './dock-job.repository.js';
import type { DockSubject, DockTask } from './dock.port.js';

/** Nobody watches more closely. */
const NOTED_EVERY_MS = 250;

/** One attempt at a dock job, behind the fence of the job that does it. */
export class DockRun implements DockTask<unknown> {
  readonly dockJobId: Id<'dockJob'>;
  readonly projectId: Id<'project'>;
  readonly targetId: string;
  readonly data: unknown;
  isOver = false;
  private stage: string | undefined;
  private notedAt = -NOTED_EVERY_MS;
  /** One after the other, and beside the work. */
  private noting: Promise<void> = Promise.resolve();

  constructor(
    subject: DockSubject<unknown>,
    readonly attempt: number,
    private readonly job: JobRun<unknown>,
    private readonly jobs: DockJobRepository,
    private readonly attempts: DockAttempts,
  ) {
    ({ dockJobId: this.dockJobId, projectId: this.projectId, targetId: this.targetId, data: this.data } = subject);
  }

  get signal(): AbortSignal {
    return this.job.signal;
  }

  progress(percentage: number, stage: string): void {
    const now = performance.now();
    if (stage === this.stage && now - this.notedAt < NOTED_EVERY_MS) return;
    this.stage = stage;
    this.notedAt = now;
    // 100 is what SUCCESS says.
    const whole = Math.max(0, Math.min(99, Math.floor(percentage)));
    // One that is lost is no fault of the work's.
    this.noting = this.noting
      .then(() => this.attempts.note(this.dockJobId, this.attempt, whole, stage))
      .catch(() => undefined);
  }

  async succeed(effect: (em: EntityManager) => Promise<Record<string, unknown> | void>): Promise<void> {
    await this.job.finish(async (em) => {
      const dockJob = await this.held();
      dockJob.succeed((await effect(em)) ?? null);
    });
    this.isOver = true;
  }

  async fail(code: string, message: string, effect?: (em: EntityManager) => Promise<void>): Promise<void> {
    await this.job.finish(async (em) => {
      const dockJob = await this.held();
      dockJob.fail(code, message);
      await effect?.(em);
    });
    this.isOver = true;
  }

  private async held() {
    const dockJob = await this.jobs.lockById(this.dockJobId);
    if (!dockJob || dockJob.isOver) throw new Error(`The dock job ${this.dockJobId} was ended meanwhile`);
    return dockJob;
  }
}
