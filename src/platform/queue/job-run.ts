import type { Effect, EffectWithWrites, JobEndings } from './job-endings.js';
import type { ClaimedJob } from './job.entity.js';

/**
 * How an attempt ended. An attempt that was released does not count: the process stopped, lost the database, or does
 * not run such jobs. Any process may claim the job again.
 */
export type Outcome = 'done' | 'suspended' | 'retried' | 'failed' | 'released' | 'lost';

type EndedAs = 'done' | 'suspended' | 'released';

/** One attempt at a job, as its handler sees it. */
export class JobRun<Data> {
  /** Whether the lane's next job got a place. */
  isNextPlaced = false;
  private endedAs: EndedAs | undefined;

  constructor(
    private readonly job: ClaimedJob,
    readonly data: Data,
    /** Aborted when the job is lost or cancelled, or the process stops. */
    readonly signal: AbortSignal,
    private readonly endings: JobEndings,
  ) {}

  get id(): string {
    return this.job.id;
  }

  /** The number of this attempt, which also counts the attempts that were forgiven. */
  get attempt(): number {
    return this.job.attempt;
  }

  /** The attempts that count, including this one. */
  get countedAttempts(): number {
    return this.job.attempt - this.job.forgiven;
  }

  /** How the attempt ended; undefined while it runs. */
  get outcome(): EndedAs | undefined {
    return this.endedAs;
  }

  /** The progress that an earlier attempt reported last. */
  get progress(): Record<string, unknown> | null {
    return this.job.progress;
  }

  /** Commits the effect and the state `done` together, or neither. */
  async finish(effect: Effect = nothing): Promise<void> {
    this.isNextPlaced = await this.endings.finish(this.job, effect);
    this.endedAs = 'done';
  }

  /** Commits as `finish` does, and sends the writes that the effect returns in the statement that ends the attempt. */
  async finishWith(effect: EffectWithWrites): Promise<void> {
    this.isNextPlaced = await this.endings.finishWith(this.job, effect);
    this.endedAs = 'done';
  }

  /**
   * Keeps the place in the lane and frees the slot of the worker. The job runs again when it is resumed, at the latest
   * at `until`.
   */
  async suspend(until: Date, effect: Effect = nothing): Promise<void> {
    this.isNextPlaced = await this.endings.suspend(this.job, until, effect);
    this.endedAs = 'suspended';
  }

  /** Makes the job claimable again after the delay, by any process. The attempt does not count. */
  async release(delaySeconds: number): Promise<void> {
    this.isNextPlaced = await this.endings.release(this.job, delaySeconds);
    this.endedAs = 'released';
  }

  async report(progress: Record<string, unknown>): Promise<void> {
    await this.endings.report(this.job, progress);
  }
}

async function nothing(): Promise<void> {}
