import { TimedOut } from './errors.js';

/** Timers count in 31 bits, so that a longer time would end at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time that a call has, and its caller's own signal. Both end it. */
export class TimeLimit {
  readonly signal: AbortSignal;
  private readonly timeUp = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout> | undefined;
  private readonly end: number;

  constructor(
    private readonly timeoutMs: number,
    private readonly callers?: AbortSignal,
  ) {
    this.end = performance.now() + timeoutMs;
    if (timeoutMs <= LONGEST_TIMER_MS) this.timer = setTimeout(() => this.timeUp.abort(), timeoutMs);
    this.signal = callers ? AbortSignal.any([callers, this.timeUp.signal]) : this.timeUp.signal;
  }

  leftMs(): number {
    return this.end - performance.now();
  }

  throwIfOver(): void {
    this.callers?.throwIfAborted();
    if (this.timeUp.signal.aborted) throw new TimedOut(this.timeoutMs);
  }

  /** Ends the limit of time. The caller's signal goes on. */
  stop(): void {
    clearTimeout(this.timer);
  }

  async pause(ms: number): Promise<void> {
    this.throwIfOver();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ms);
      const { signal } = this;
      function finish(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      }
      signal.addEventListener('abort', finish);
    });
    this.throwIfOver();
  }
}
