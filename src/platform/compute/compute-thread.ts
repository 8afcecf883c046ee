import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../../kernel/spans.js';
import type { ComputeMessage, ComputeRequest } from './compute-program.js';
import { type ComputeBudget, ComputeFailure } from './compute-task.js';

/** The program is next to this file and in the same language. */
const PROGRAM = new URL(`./compute-program${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

const HEAP_MB = 192;
const YOUNG_MB = 32;
/** The time for loading a program, which is not the caller's time. A thread that exceeds it is broken. */
const LOAD_MS = MINUTE_MS;
/**
 * Work that takes this many times its processor time is terminated even if the thread does not report what it has used.
 */
const ELAPSED_LIMIT_FACTOR = 20;
const SHORTEST_CHECK_MS = 10;

export interface Work {
  readonly projectId: string;
  readonly request: ComputeRequest;
  readonly ms: number;
  readonly budget: ComputeBudget | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread, which has at most one piece of work and is terminated when that exceeds its time. */
export class ComputeThread {
  current: Work | null = null;
  /** The project whose work occupies the thread, also while the thread of terminated work has not ended yet. */
  projectId: string | null = null;
  isReady = false;
  wasReady = false;
  private isEnding = false;
  /** Why the thread ended by itself. */
  fault: Error | undefined;
  private readonly loaded = new Set<string>();
  private readonly worker: Worker;
  private cpuMs = 0;
  private begun = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly onFree: () => void,
    private readonly onEnd: (thread: ComputeThread) => void,
  ) {
    this.worker = new Worker(PROGRAM, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      env: {},
      stdout: true,
      stderr: true,
    });
    this.worker.on('message', (message: ComputeMessage) => this.receive(message));
    this.worker.on('error', (error: NodeJS.ErrnoException) => {
      this.fault = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ComputeFailure('memory') : error;
    });
    this.worker.on('exit', () => {
      this.settle(({ reject }) => reject(this.fault ?? new Error('A compute thread ended')));
      this.onEnd(this);
    });
  }

  get isFree(): boolean {
    return this.isReady && this.current === null;
  }

  begin(work: Work): void {
    this.current = work;
    this.projectId = work.projectId;
    this.worker.ref();
    if (this.loaded.has(work.request.url)) this.count(work);
    else this.timer = setTimeout(() => this.stop(new Error('The program of a compute thread does not load')), LOAD_MS);
    this.worker.postMessage(work.request);
  }

  /** Rejects the current work and terminates the thread. */
  stop(reason: unknown): void {
    this.settle(({ reject }) => reject(reason));
    void this.end();
  }

  /** A thread that is inside a long built-in function ends when that returns. Until then it counts as one of the pool. */
  async end(): Promise<void> {
    this.isEnding = true;
    this.isReady = false;
    await this.worker.terminate();
  }

  private receive(message: ComputeMessage): void {
    // The caller has abandoned the work.
    if (this.isEnding) return;
    const spentMs = message.cpuMs - this.cpuMs;
    this.cpuMs = message.cpuMs;
    if (message.is === 'begun') return this.count(this.current!);
    if (message.is === 'ready') this.becomeReady();
    else {
      this.settle(({ budget, resolve, reject }) => {
        budget?.take(spentMs);
        if (message.is === 'answer') resolve(message.answer);
        else reject(new Error(`A program of a compute thread failed: ${message.error}`));
      });
      this.projectId = null;
      if (message.is === 'answer' && message.isSpoiled) void this.end();
    }
    this.onFree();
  }

  private becomeReady(): void {
    this.isReady = true;
    this.wasReady = true;
    // Idle threads do not keep the process alive.
    this.worker.unref();
  }

  /** Begins to count the time of the work. */
  private count(work: Work): void {
    this.loaded.add(work.request.url);
    this.begun = performance.now();
    this.checkIn(work.ms, work);
  }

  private checkIn(ms: number, work: Work): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(work), Math.max(SHORTEST_CHECK_MS, ms));
  }

  /** Asks the thread for its processor time, which on a busy machine is less than the elapsed time. */
  private async check(work: Work): Promise<void> {
    const lateMs = ELAPSED_LIMIT_FACTOR * work.ms - (performance.now() - this.begun);
    if (lateMs <= 0) return this.stopLate(work);
    this.timer = setTimeout(() => this.stopLate(work), lateMs);
    const used = await this.worker.cpuUsage().catch(() => undefined);
    if (this.current !== work || !used) return;
    const leftMs = work.ms - ((used.user + used.system) / 1_000 - this.cpuMs);
    if (leftMs <= 0) this.stopLate(work);
    else this.checkIn(leftMs, work);
  }

  private stopLate(work: Work): void {
    if (this.current !== work) return;
    work.budget?.take(work.ms);
    this.stop(new ComputeFailure((work.budget?.leftMs ?? Infinity) <= 0 ? 'budget' : 'time'));
  }

  private settle(finish: (work: Work) => void): void {
    const { current } = this;
    clearTimeout(this.timer);
    this.current = null;
    if (current) finish(current);
    this.worker.unref();
  }
}
