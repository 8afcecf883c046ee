import { FairQueue } from './fair-queue.js';
import { Shares } from './shares.js';

/** Registers what ends a wait early. The returned function withdraws it. */
type OnAbort = (stop: (reason: Error) => void) => () => void;

interface Waiting {
  owner: string;
  begin: () => void;
}

/**
 * Bounds what runs at the same time. Owners share the slots as `Shares` says, so that the next owner finds one, and
 * those of them that wait take turns.
 */
export class FairSemaphore {
  private readonly shares: Shares;
  private readonly queue = new FairQueue<Waiting>();
  private waitingCount = 0;

  constructor(slots: number) {
    this.shares = new Shares(slots);
  }

  /** The number of those that wait for a slot. */
  get waiting(): number {
    return this.waitingCount;
  }

  waitingOf(owner: string): number {
    return this.queue.lengthOf(owner);
  }

  /** Takes a slot if one is free for this owner and no work of this owner waits. */
  tryAcquire(owner: string): boolean {
    if (this.queue.lengthOf(owner) > 0 || !this.mayTake(owner)) return false;
    this.shares.take(owner);
    return true;
  }

  /** Takes a slot as soon as it is the owner's turn. Rejects with the reason if the wait is aborted. */
  async acquire(owner: string, onAbort?: OnAbort): Promise<void> {
    if (this.tryAcquire(owner)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { owner, begin: resolve };
    this.waitingCount += 1;
    this.queue.add(owner, waiting);
    const over = onAbort?.((reason) => {
      this.queue.remove(owner, waiting);
      reject(reason);
    });
    await promise.finally(() => {
      this.waitingCount -= 1;
      over?.();
    });
  }

  /** Takes a slot even if none is free, for work that has begun and has to go on. */
  acquireAnyway(owner: string): void {
    this.shares.take(owner);
  }

  release(owner: string): void {
    this.shares.release(owner);
    for (let next = this.queue.next(this.mayTake); next; next = this.queue.next(this.mayTake)) {
      this.shares.take(next.owner);
      next.begin();
    }
  }

  private readonly mayTake = (owner: string): boolean => this.shares.hasRoomFor(owner);
}
