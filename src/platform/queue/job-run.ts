import type { EntityManager } from '@mikro-orm/postgresql';
import { SYSTEM } from '../../kernel/actor.js';
import type { Database } from '../database/database.js';
import type { ClaimedJob, JobStore } from './job-store.js';

type Effect = (em: EntityManager) => Promise<unknown>;

/** Thrown where a process goes on with a job that is no longer its own: its lease ran out, or it was cancelled. */
export class JobLost extends Error {
  constructor(job: ClaimedJob) {
    super(`Job ${job.id} is no longer this process's (attempt ${job.attempt})`);
  }
}

/** One attempt at a job, as its handler sees it. */
export class JobRun<Data> {
  private ended = false;

  constructor(
    private readonly job: ClaimedJob,
    readonly data: Data,
    /** Aborted when the job is lost or cancelled, or the process stops. */
    readonly signal: AbortSignal,
    private readonly store: JobStore,
    private readonly database: Database,
  ) {}

  get id(): string {
    return this.job.id;
  }

  get attempt(): number {
    return this.job.attempt;
  }

  get isEnded(): boolean {
    return this.ended;
  }

  /** What an earlier attempt reported last. */
  get progress(): Record<string, unknown> | null {
    return this.job.progress;
  }

  /** The effect and "done" commit together, or neither does. */
  async finish(effect: Effect = async () => undefined): Promise<void> {
    await this.end((em) => this.store.finish(em, this.job), effect);
  }

  /** Keeps the lane, frees the worker. The job runs again when it is resumed, at the latest at `until`. */
  async suspend(until: Date, effect: Effect = async () => undefined): Promise<void> {
    await this.end((em) => this.store.suspend(em, this.job, until), effect);
  }

  async report(progress: Record<string, unknown>): Promise<void> {
    if (!(await this.store.report(this.job, progress))) throw new JobLost(this.job);
  }

  private async end(move: (em: EntityManager) => Promise<boolean>, effect: Effect): Promise<void> {
    await this.database.transaction(SYSTEM, async (em) => {
      await effect(em);
      await em.flush();
      if (!(await move(em))) throw new JobLost(this.job);
    });
    this.ended = true;
  }
}
