import type { Effect, EffectWithWrites, JobEndings } from './job-endings.js';
import type { ClaimedJob } from './job.entity.js';

/** How an attempt ended. A released one is left to another process: this one stops, or does not do such work. */
export type Outcome = 'done' | 'suspended' | 'retried' | 'failed' | 'released' | 'lost';

type EndedAs = 'done' | 'suspended' | 'released';

/** One attempt at a job, as its handler sees it. */
export class JobRun<Data> {
  /** Another has its turn now. */
  isFollowed = false;
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

  get attempt(): number {
    return this.job.attempt;
  }

  /** Attempts that count, with this one. */
  get tried(): number {
    return this.job.attempt - this.job.forgiven;
  }

  /** How it ended, once it has. */
  get outcome(): EndedAs | undefined {
    return this.endedAs;
  }

  /** What an earlier attempt reported last. */
  get progress(): Record<string, unknown> | null {
    return this.job.progress;
  }

  /** The effect and "done" commit together, or neither does. */
  async finish(effect: Effect = nothing): Promise<void> {
    this.isFollowed = await this.endings.finish(this.job, effect);
    this.endedAs = 'done';
  }

  /** The same with what the effect leaves to be written, in one statement with "done". */
  async finishWith(effect: EffectWithWrites): Promise<void> {
    this.isFollowed = await this.endings.finishWith(this.job, effect);
    this.endedAs = 'done';
  }

  /** Keeps the lane, frees the worker. The job runs again when it is resumed, at the latest at `until`. */
  async suspend(until: Date, effect: Effect = nothing): Promise<void> {
    this.isFollowed = await this.endings.suspend(this.job, until, effect);
    this.endedAs = 'suspended';
  }

  /** Leaves the job to another process; the attempt does not count. */
  async release(delaySeconds: number): Promise<void> {
    this.isFollowed = await this.endings.release(this.job, delaySeconds);
    this.endedAs = 'released';
  }

  async report(progress: Record<string, unknown>): Promise<void> {
    await this.endings.report(this.job, progress);
  }
}

async function nothing(): Promise<void> {}
