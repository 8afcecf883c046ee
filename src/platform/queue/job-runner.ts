import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { withRetries } from '../../kernel/retries.js';
import { Database } from '../database/database.js';
import { isOutage } from '../database/database.errors.js';
import { OutageLog } from '../database/outage-log.js';
import { Log } from '../telemetry/log.js';
import { inSpanOf, noteOutcome } from '../telemetry/tracing.js';
import { JobEndings, JobLost } from './job-endings.js';
import { type Handled, JobHandlers } from './job-handlers.js';
import { JobMetrics } from './job-metrics.js';
import { JobRun, type Outcome } from './job-run.js';
import type { ClaimedJob } from './job.entity.js';

/** The seconds after which a job without a handler is tried again, perhaps by a process that has the handler. */
const NO_HANDLER_BACKOFF = 60;

/** The reason with which a job's signal aborts when the database was away for a whole lease. */
export class LeaseNotRenewed extends Error {
  constructor() {
    super('The lease could not be renewed, because the database did not answer');
  }
}

/** The reason with which a job's signal aborts when the process stops. Such an attempt does not count. */
export class ProcessStops extends Error {
  constructor() {
    super('The process is stopping');
  }
}

/** The seconds until the next attempt after a first outage, and between two tries to release the job. */
const OUTAGE_PAUSE_SECONDS = 2;
/**
 * The longest such pause. One server of a database may be away for long while the jobs are on another, and each attempt
 * may call a model that costs money.
 */
const LONGEST_OUTAGE_PAUSE_SECONDS = 60;
/**
 * The number of attempts that outages may end without being counted. The limit ends a job whose own work breaks the
 * connections.
 */
const MAX_OUTAGES = 1_000;

interface Attempt {
  outcome: Outcome;
  /** Whether this job or the next one of its lane may be claimable now. */
  mayBeClaimable: boolean;
}

const FAILURES: ReadonlySet<Outcome> = new Set(['retried', 'failed', 'lost']);

/** Runs one attempt at a job, from the claim to the end. */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly endings: JobEndings,
    private readonly handlers: JobHandlers,
    private readonly measures: JobMetrics,
    private readonly database: Database,
    private readonly outages: OutageLog,
    private readonly log: Log,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Returns whether a job may have become claimable because this attempt has ended. */
  async run(job: ClaimedJob, signal: AbortSignal): Promise<boolean> {
    const begun = performance.now();
    const attempt = async () => {
      const ended = await this.database.apart(() => this.attempt(job, signal));
      noteOutcome('slipway.job.outcome', ended.outcome, FAILURES.has(ended.outcome));
      return ended;
    };
    const { outcome, mayBeClaimable } = await inSpanOf(job.traceParent, () => attemptSpan(job), attempt);
    this.measures.observe(job.name, outcome, (performance.now() - begun) / 1000);
    return mayBeClaimable;
  }

  private async attempt(job: ClaimedJob, signal: AbortSignal): Promise<Attempt> {
    const handled = this.handlers.find(job.name);
    try {
      return await this.handle(job, handled, signal).catch(async (error: unknown) => {
        if (error instanceof JobLost) throw error;
        return { outcome: await this.fail(job, handled, signal, error), mayBeClaimable: true };
      });
    } catch (error) {
      if (!(error instanceof JobLost)) throw error;
      this.log.warn({ jobId: job.id, job: job.name }, error.message);
      return { outcome: 'lost', mayBeClaimable: true };
    }
  }

  private async handle(job: ClaimedJob, handled: Handled | undefined, signal: AbortSignal): Promise<Attempt> {
    if (!handled)
      throw new Error('This process has no handler for the job; a newer version of the service may have one');
    const { definition, handler } = handled;
    if (job.attempt - job.forgiven > definition.attempts) throw new Error('The process that ran the job died');
    const data = definition.data.parse(job.data);
    return withTimeLimit(definition.longestSeconds, signal, async (limited): Promise<Attempt> => {
      const run = new JobRun(job, data, limited, this.endings);
      await handler.run(run);
      if (!run.outcome) await run.finish();
      return { outcome: run.outcome ?? 'done', mayBeClaimable: run.isNextPlaced };
    });
  }

  private async fail(
    job: ClaimedJob,
    handled: Handled | undefined,
    signal: AbortSignal,
    error: unknown,
  ): Promise<Outcome> {
    if (signal.reason instanceof ProcessStops) {
      await this.endings.release(job);
      return 'released';
    }
    if (isForgivable(job, signal, error)) {
      if (!this.outages.note(error))
        this.log.warn({ jobId: job.id, job: job.name, err: error }, 'A job was interrupted');
      await this.releaseAfterOutage(job);
      return 'released';
    }
    const reason = error instanceof Error ? error.message : String(error);
    const counted = job.attempt - job.forgiven;
    const isLast = handled !== undefined && counted >= handled.definition.attempts;
    this.log.warn({ jobId: job.id, job: job.name, attempt: job.attempt, isLast, err: error }, 'A job failed');
    if (!isLast) {
      // A process without the handler uses up none of the attempts that a process with the handler has.
      const delaySeconds = handled?.definition.backoff(counted) ?? NO_HANDLER_BACKOFF;
      await this.endings.postpone(job, reason, delaySeconds, handled !== undefined);
      return 'retried';
    }
    const { definition, handler } = handled;
    const { success, data } = definition.data.safeParse(job.data);
    // A handler is not called with data that it cannot read; the job fails all the same.
    await this.endings.fail(job, reason, async (tx) => success && handler.onFailed(tx, data, reason));
    return 'failed';
  }

  /** Tries until the database is back. The fence keeps out this process if another one has claimed the job meanwhile. */
  private async releaseAfterOutage(job: ClaimedJob): Promise<void> {
    const release = () => this.endings.releaseAfterOutage(job, secondsAfterOutage(job));
    const pauseAfter = (error: unknown) => (isOutage(error) ? OUTAGE_PAUSE_SECONDS * 1_000 : undefined);
    await withRetries(release, pauseAfter, this.stopping.signal);
  }
}

/** Aborts the signal of the work after the seconds, and then waits for the work no longer. */
async function withTimeLimit<T>(
  seconds: number | null,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (seconds === null) return work(signal);
  const tooLong = new AbortController();
  const over = AbortSignal.any([signal, tooLong.signal]);
  over.throwIfAborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  over.addEventListener('abort', () => reject(over.reason as Error), { once: true });
  const reason = new Error(`The attempt took longer than ${seconds} seconds`);
  const timer = setTimeout(() => tooLong.abort(reason), seconds * 1_000);
  try {
    return await Promise.race([work(over), stopped]);
  } finally {
    clearTimeout(timer);
  }
}

/** The pause doubles with each outage, except for a recurring job, all of whose attempts are forgiven. */
function secondsAfterOutage({ every, outages }: ClaimedJob): number {
  if (every !== null) return OUTAGE_PAUSE_SECONDS;
  return Math.min(OUTAGE_PAUSE_SECONDS * 2 ** outages, LONGEST_OUTAGE_PAUSE_SECONDS);
}

/** Whether an outage ended the attempt, so that it does not count. */
function isForgivable({ every, outages }: ClaimedJob, signal: AbortSignal, error: unknown): boolean {
  const isOfOutage = isOutage(error) || signal.reason instanceof LeaseNotRenewed;
  return isOfOutage && (every !== null || outages < MAX_OUTAGES);
}

function attemptSpan({ id, name, queue, attempt, projectId }: ClaimedJob) {
  const attributes = {
    'slipway.job.id': id,
    'slipway.job.queue': queue,
    'slipway.job.attempt': attempt,
    ...(projectId !== null && { 'slipway.project.id': projectId }),
  };
  return { name: `job ${name}`, kind: SpanKind.CONSUMER, attributes };
}
