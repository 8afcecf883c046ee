import { setTimeout as wait } from 'node:timers/promises';

const FIRST_LOOK_MS = 100;
const SELDOM_MS = 2_000;

/** For those who wait for something to end: told at once where it ends in this process, found out where elsewhere. */
export abstract class Ends<Name extends string, Thing> {
  private readonly waiting = new Map<Name, Set<Waiter>>();

  protected abstract read(id: Name): Promise<Thing>;
  protected abstract isOver(thing: Thing): boolean;

  /** Once it can be read that it has ended. */
  tell(id: Name): void {
    for (const waiter of this.waiting.get(id) ?? []) waiter.tell();
  }

  /** The thing as soon as it is over, or as it is after so long. */
  of(id: Name, withinMs: number, signal?: AbortSignal): Promise<Thing> {
    return this.ended(id, new Waiter(true), withinMs, signal);
  }

  /** The same for what was begun just now: not looked at before it can have ended. */
  ofBegun(id: Name, withinMs: number, signal?: AbortSignal): Promise<Thing> {
    return this.ended(id, new Waiter(false), withinMs, signal);
  }

  private async ended(id: Name, waiter: Waiter, withinMs: number, signal: AbortSignal | undefined): Promise<Thing> {
    const begun = performance.now();
    this.waiting.set(id, (this.waiting.get(id) ?? new Set()).add(waiter));
    try {
      for (;;) {
        // The longer it takes, the more seldom: hundreds who wait would keep the database from everybody else.
        const waited = performance.now() - begun;
        const pauseMs = Math.min(Math.max(FIRST_LOOK_MS, waited / 4), SELDOM_MS, Math.max(1, withinMs - waited));
        await waiter.told(pauseMs, signal);
        const thing = await this.read(id);
        if (this.isOver(thing) || performance.now() - begun > withinMs) return thing;
      }
    } finally {
      this.leave(id, waiter);
    }
  }

  private leave(id: Name, waiter: Waiter): void {
    const others = this.waiting.get(id)!;
    others.delete(waiter);
    if (others.size === 0) this.waiting.delete(id);
  }
}

class Waiter {
  private wake: () => void = () => undefined;

  constructor(private isTold: boolean) {}

  tell(): void {
    this.isTold = true;
    this.wake();
  }

  /** When it is told, or was since the last time; at the latest after so long. */
  async told(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (!this.isTold) {
      const pause = new AbortController();
      this.wake = () => pause.abort();
      const stop = signal ? AbortSignal.any([signal, pause.signal]) : pause.signal;
      await wait(withinMs, undefined, { signal: stop }).catch(() => undefined);
    }
    this.isTold = false;
    signal?.throwIfAborted();
  }
}
