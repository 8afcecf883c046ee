import { eventsIn } from './event-stream.js';
import { cutOff, SlipwayError } from './errors.js';
import type { Schemas } from './place.js';
import { TimeLimit } from './time-limit.js';
import { bodyOf, type CallOptions, type Transport } from './transport.js';

export type DockJobState = Schemas['DockJob'];
export type DockJobStarted = Schemas['DockJobAnswer'] | Schemas['ImportStarted'];

export interface JobProgress {
  /** `upload` while the content is sent, afterwards `job`. */
  phase: 'upload' | 'job';
  percent: number;
  /** A few words about the present step, if the service names it. */
  stage?: string;
}

export interface WaitOptions {
  onProgress?: (progress: JobProgress) => void;
  /** Ends the wait. The job goes on. */
  signal?: AbortSignal;
  /** As long as the job takes, unless given. */
  timeoutMs?: number;
  /** How long a stream of the job may send nothing before it is opened again: 30 seconds, unless given. */
  idleTimeoutMs?: number;
}

const REOPEN_AFTER_MS = 500;
/** Three heartbeats of the service. */
const JOB_IDLE_TIMEOUT_MS = 30_000;

/** A job that has failed. Its code is the code of the job's error. */
export class JobFailed extends SlipwayError {
  override readonly name = 'JobFailed';

  constructor(readonly job: DockJobState) {
    super(job.error?.code ?? 'INTERNAL', job.error?.message ?? 'The job has failed.');
  }
}

export type Report = (progress: JobProgress) => void;

/** An import, deployment, undeployment or export that has begun. Awaiting it returns the answer to its beginning. */
export class DockJob<Started extends DockJobStarted = Schemas['DockJobAnswer']> implements PromiseLike<Started> {
  private readonly started: Promise<Started>;
  private readonly listeners = new Set<Report>();

  constructor(
    private readonly http: Transport,
    start: (report: Report) => Promise<Started>,
  ) {
    this.started = start((progress) => this.report(progress));
    // A caller may do something else before it waits, and Node ends for a rejection without a handler.
    this.started.catch(() => undefined);
  }

  then<A = Started, B = never>(
    onStarted?: ((started: Started) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.started.then(onStarted, onFailed);
  }

  /** Waits until the job has ended. Throws `JobFailed` if it has failed. */
  async wait({ onProgress, ...options }: WaitOptions = {}): Promise<DockJobState> {
    if (onProgress) this.listeners.add(onProgress);
    try {
      const { dockStatusId } = await this.started;
      return await waitFor(this.http, dockStatusId, options, (progress) => this.report(progress));
    } finally {
      if (onProgress) this.listeners.delete(onProgress);
    }
  }

  private report(progress: JobProgress): void {
    for (const listener of this.listeners) listener(progress);
  }
}

/**
 * Yields the states of a job until it has ended. The stream is opened again if it is lost or silent, unless nothing has
 * arrived for as long as a call may take.
 */
export async function* follow(
  http: Transport,
  dockStatusId: string,
  options: CallOptions,
): AsyncGenerator<DockJobState, void, undefined> {
  const limit = new TimeLimit(options.timeoutMs ?? Infinity, options.signal);
  const params = { path: { dockStatusId } };
  const { signal } = limit;
  const manner = { isStream: true, idleTimeoutMs: JOB_IDLE_TIMEOUT_MS };
  let arrivedAt = performance.now();
  try {
    for (;;) {
      try {
        const { response } = await http.api.GET('/api/public/dock-status/{dockStatusId}/events', {
          params,
          parseAs: 'stream',
          ...http.with({ signal, idleTimeoutMs: options.idleTimeoutMs }, manner),
        });
        for await (const { event, data } of eventsIn(response, () => (arrivedAt = performance.now()))) {
          yield JSON.parse(data) as DockJobState;
          if (event === 'end') return;
        }
        throw cutOff('the job');
      } catch (error) {
        limit.throwIfOver();
        if (!isOfConnection(error) || performance.now() - arrivedAt >= http.timeoutMs) throw error;
      }
      await limit.pause(REOPEN_AFTER_MS);
    }
  } finally {
    limit.stop();
  }
}

/** Whether another connection may have what this one lacks. */
function isOfConnection(error: unknown): boolean {
  return !(error instanceof SlipwayError) || error.is('NO_ANSWER', 'ANSWER_CUT_OFF', 'TIMED_OUT');
}

export async function waitFor(
  http: Transport,
  dockStatusId: string,
  options: CallOptions,
  report: Report,
): Promise<DockJobState> {
  for await (const { percentageComplete: percent, stage, status, ...rest } of follow(http, dockStatusId, options)) {
    report({ phase: 'job', percent, ...(stage !== undefined && { stage }) });
    if (status === 'FAILED') throw new JobFailed({ percentageComplete: percent, status, ...rest });
  }
  return readJob(http, dockStatusId, options);
}

export function readJob(http: Transport, dockStatusId: string, options?: CallOptions): Promise<DockJobState> {
  const params = { path: { dockStatusId } };
  return bodyOf(http.api.GET('/api/public/dock-status/{dockStatusId}', { params, ...http.with(options) }));
}
