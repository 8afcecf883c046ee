import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { type Run, RunStore } from './run-store.js';

const FIRST_LOOK_MS = 100;
const SELDOM_MS = 2_000;

/** For those who wait for a run: told at once where it ends in this process, found out where it ends elsewhere. */
@Injectable()
export class RunEnds {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly runs: RunStore) {}

  tell(runId: Id<'run'>): void {
    for (const wake of this.waiting.get(runId) ?? []) wake();
  }

  /** The run as soon as it does not run any more, or as it is after so long. */
  async of(runId: Id<'run'>, withinMs: number, signal?: AbortSignal): Promise<Run | null> {
    const begun = performance.now();
    const deadline = begun + withinMs;
    for (;;) {
      // The longer it takes, the more seldom: hundreds who wait would keep the database from everybody else.
      const now = performance.now();
      const pauseMs = Math.min(Math.max(FIRST_LOOK_MS, (now - begun) / 4), SELDOM_MS, Math.max(1, deadline - now));
      const told = this.told(runId, pauseMs, signal);
      const run = await this.runs.byId(runId);
      if (!run || run.state !== 'running' || performance.now() > deadline) return run;
      await told;
      signal?.throwIfAborted();
    }
  }

  private async told(runId: Id<'run'>, withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const woken = this.waiting.get(runId) ?? new Set();
    this.waiting.set(runId, woken.add(resolve));
    const pause = new AbortController();
    const stop = signal ? AbortSignal.any([signal, pause.signal]) : pause.signal;
    await Promise.race([promise, wait(withinMs, undefined, { signal: stop }).catch(() => undefined)]);
    pause.abort();
    woken.delete(resolve);
    if (woken.size === 0) this.waiting.delete(runId);
  }
}
