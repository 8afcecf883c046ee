import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { Database } from '../database/database.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { type Handled, JobHandlers } from './job-handlers.js';
import { JobLost, JobRun } from './job-run.js';
import { type ClaimedJob, JobStore, LEASE_SECONDS } from './job-store.js';

const SIGN_OF_LIFE_MS = (LEASE_SECONDS * 1000) / 6;

/** Runs the first job of a lane, and sees to it that the next one is run. */
@Injectable()
export class LaneRunner {
  private readonly running = new Map<string, AbortController>();

  constructor(
    private readonly store: JobStore,
    private readonly handlers: JobHandlers,
    private readonly bells: Bells,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  get count(): number {
    return this.running.size;
  }

  async run(lane: string): Promise<void> {
    const job = await this.store.claim(lane);
    if (!job) return;
    const abort = new AbortController();
    this.running.set(job.id, abort);
    const signs = setInterval(() => void this.giveSign(job, abort), SIGN_OF_LIFE_MS);
    try {
      await this.database.apart(() => this.attempt(job, abort.signal));
    } finally {
      clearInterval(signs);
      this.running.delete(job.id);
    }
    await this.ringForNext(lane);
  }

  /** The process stops: jobs that have not ended in time are tried again elsewhere. */
  abortAll(reason: Error): void {
    for (const abort of this.running.values()) abort.abort(reason);
  }

  private async attempt(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const handled = this.handlers.find(job.name);
    try {
      if (!handled) throw new Error('No handler here; a newer version of the service may have one');
      const { definition, handler } = handled;
      if (job.attempt > definition.attempts) throw new Error('The process that ran it died');
      const run = new JobRun(job, definition.data.parse(job.data), signal, this.store, this.database);
      await handler.run(run);
      if (!run.isEnded) await run.finish();
    } catch (error) {
      if (error instanceof JobLost) this.log.warn({ jobId: job.id, job: job.name }, error.message);
      else await this.fail(job, handled, error);
    }
  }

  private async fail(job: ClaimedJob, handled: Handled | undefined, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const isLast = handled !== undefined && job.attempt >= handled.definition.attempts;
    this.log.warn({ jobId: job.id, job: job.name, attempt: job.attempt, isLast, err: error }, 'A job failed');
    if (!handled || !isLast) {
      await this.store.retry(job, reason, handled?.definition.backoff(job.attempt) ?? 60);
      return;
    }
    await this.database.transaction(SYSTEM, async (em) => {
      await handled.handler.gaveUp(em, handled.definition.data.parse(job.data), reason);
      await em.flush();
      if (!(await this.store.giveUp(em, job, reason))) throw new JobLost(job);
    });
  }

  private async giveSign(job: ClaimedJob, abort: AbortController): Promise<void> {
    const isOurs = await this.store.renew(job).catch(() => true);
    if (!isOurs) abort.abort(new JobLost(job));
  }

  private async ringForNext(lane: string): Promise<void> {
    const seconds = await this.store.nextIn(lane);
    if (seconds !== null) await this.bells.ring(lane, seconds);
  }
}
