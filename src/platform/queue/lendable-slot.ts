import type { Shares } from '../../kernel/shares.js';
import type { Waiter } from '../../kernel/waiting.js';

/**
 * A job keeps its slot during shorter waits: lending the slot for each of them would only make more jobs busy at once.
 */
const LEND_AFTER_MS = 200;

/** The slot of a running job. While the job waits for the network, it lends the slot to another job. */
export class LendableSlot implements Waiter {
  private openWaits = 0;
  private isLent = false;
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly project: string,
    private readonly slots: Shares,
    private readonly waiting: Shares,
    private readonly notifyFree: () => void,
  ) {}

  waitBegins(): void {
    this.openWaits += 1;
    if (this.openWaits === 1 && !this.isOver) this.lendLater();
  }

  /** The job goes on at once, even if its slot is lent to another job by then. */
  waitEnds(): void {
    this.openWaits -= 1;
    if (this.openWaits > 0 || this.isOver) return;
    clearTimeout(this.timer);
    if (this.isLent) this.recall();
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.isLent) this.recall();
    this.slots.release(this.project);
  }

  /** The job keeps its slot while its project has no room among the waiting jobs. */
  private lendLater(): void {
    this.timer = setTimeout(() => {
      if (this.waiting.hasRoomFor(this.project)) this.lend();
      else this.lendLater();
    }, LEND_AFTER_MS).unref();
  }

  private lend(): void {
    this.isLent = true;
    this.waiting.take(this.project);
    this.slots.release(this.project);
    this.notifyFree();
  }

  private recall(): void {
    this.isLent = false;
    this.waiting.release(this.project);
    this.slots.take(this.project);
  }
}
