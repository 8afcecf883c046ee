import { setTimeout as wait } from 'node:timers/promises';

const FIRST_LOOK_MS = 100;
const SELDOM_MS = 2_000;

/** For those who wait for something to end: told at once where it ends in this process, found out where elsewhere. */
export abstract class Ends<Name extends string, Thing> {
  private readonly waiting = new Map<Name, Set<() => void>>();

  protected abstract read(id: Name): Promise<Thing>;
  protected abstract isOver(thing: Thing): boolean;

  /** Once it can be read that it has ended. */
  tell(id: Name): void {
    for (const wake of this.waiting.get(id) ?? []) wake();
  }

  /** The thing as soon as it is over, or as it is after so long. */
  async of(id: Name, withinMs: number, signal?: AbortSignal): Promise<Thing> {
    const begun = performance.now();
    const deadline = begun + withinMs;
    for (;;) {
      // The longer it takes, the more seldom: hundreds who wait would keep the database from everybody else.
      const now = performance.now();
      const pauseMs = Math.min(Math.max(FIRST_LOOK_MS, (now - begun) / 4), SELDOM_MS, Math.max(1, deadline - now));
      const told = this.told(id, pauseMs, signal);
      const thing = await this.read(id);
      if (this.isOver(thing) || performance.now() > deadline) return thing;
      await told;
      signal?.throwIfAborted();
    }
  }

  private async told(id: Name, withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const woken = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, woken.add(resolve));
    const pause = new AbortController();
    const stop = signal ? AbortSignal.any([signal, pause.signal]) : pause.signal;
    await Promise.race([promise, wait(withinMs, undefined, { signal: stop }).catch(() => undefined)]);
    pause.abort();
    woken.delete(resolve);
    if (woken.size === 0) this.waiting.delete(id);
  }
}
