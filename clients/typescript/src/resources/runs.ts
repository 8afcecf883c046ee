import { cutOff, TimedOut } from '../errors.js';
import { eventsIn } from '../event-stream.js';
import type { Place, PlaceOptions, Schemas } from '../place.js';
import { TimeLimit } from '../time-limit.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

type Run = Schemas['Run'];
type RunInput = Omit<Schemas['StartRunInput'], 'stream'>;

/** An event of a run: its id, then the pieces of the answer, then the run as it ended. */
export type RunEvent =
  | { event: 'run'; data: { runId: string } }
  | { event: 'delta'; data: { content: string } }
  | { event: 'done'; data: Run };

const RUNS = '/api/v2/apps/{appId}/environments/{envName}/runs';
const NOT_ENDED: readonly Run['status'][] = ['queued', 'running', 'suspended'];
const LOOK_EVERY_MS = 1_000;
/** Longer than the service itself lets its caller wait. */
const RUN_TIMEOUT_MS = 600_000;

/** Messages to an agent whose answer the caller waits for. */
export class Runs {
  constructor(
    private readonly http: Transport,
    private readonly place: Place,
  ) {}

  /** Sends a message once, and returns the run when it has ended. */
  async create(body: RunInput, options: PlaceOptions & OnceOptions = {}): Promise<Run> {
    const timeoutMs = options.timeoutMs ?? RUN_TIMEOUT_MS;
    const began = performance.now();
    const params = { header: once(options), path: await this.place.environment(options) };
    const run = await bodyOf(this.http.api.POST(RUNS, { params, body, ...this.http.with({ ...options, timeoutMs }) }));
    const leftMs = timeoutMs - (performance.now() - began);
    return hasEnded(run) ? run : this.wait(run.runId, { ...options, timeoutMs: leftMs });
  }

  /** Waits until a run has ended. */
  async wait(runId: string, options: PlaceOptions & CallOptions = {}): Promise<Run> {
    const limit = new TimeLimit(options.timeoutMs ?? RUN_TIMEOUT_MS, options.signal);
    try {
      for (;;) {
        const run = await this.read(runId, { ...options, timeoutMs: Math.max(limit.leftMs(), 1) });
        if (hasEnded(run)) return run;
        await limit.pause(LOOK_EVERY_MS);
      }
    } finally {
      limit.stop();
    }
  }

  async read(runId: string, options: PlaceOptions & CallOptions = {}): Promise<Run> {
    const path = { ...(await this.place.environment(options)), runId };
    return bodyOf(this.http.api.GET(`${RUNS}/{runId}`, { params: { path }, ...this.http.with(options) }));
  }

  /**
   * Sends a message and yields what happens until the run has ended. If the connection is lost meanwhile, the run is
   * read until it has ended. A reader that stops early cancels the run.
   */
  async *stream(body: RunInput, options: PlaceOptions & CallOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
    const { response } = await this.http.api.POST(RUNS, {
      params: { path: await this.place.environment(options) },
      body: { ...body, stream: true },
      parseAs: 'stream',
      ...this.http.with(options, { isStream: true }),
    });
    let runId: string | undefined;
    try {
      for await (const { event, data } of eventsIn(response)) {
        const next = { event, data: JSON.parse(data) as unknown } as RunEvent;
        if (next.event === 'run') ({ runId } = next.data);
        yield next;
        if (next.event === 'done') return;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      // The reader leaves a silent stream, which cancels the run.
      if (error instanceof TimedOut) throw error;
      if (runId === undefined) throw cutOff('the run', error);
    }
    if (runId === undefined) throw cutOff('the run');
    // The service cancels a run whose caller has left, and says so in the run's error.
    yield { event: 'done', data: await this.wait(runId, options) };
  }
}

/** A service of a later version may have other ends, which are passed on. */
function hasEnded({ status }: Run): boolean {
  return !NOT_ENDED.includes(status);
}
