import type { Shares } from '../../kernel/shares.js';
import type { Waiter } from '../../kernel/waiting.js';

/** A job keeps its slot through waits that are shorter: giving it up for each would only make more jobs busy at once. */
const PATIENCE_MS = 200;

/** The slot of a running job. While the job waits for others, another job may have it. */
export class HeldSlot implements Waiter {
  private openWaits = 0;
  private isLent = false;
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly project: string,
    private readonly slots: Shares,
    private readonly waiting: Shares,
    private readonly tellFree: () => void,
  ) {}

  waits(): void {
    this.openWaits += 1;
    if (this.openWaits === 1 && !this.isOver) this.lendLater();
  }

  /** The job goes on at once, also where its slot is another's by now. */
  goesOn(): void {
    this.openWaits -= 1;
    if (this.openWaits > 0 || this.isOver) return;
    clearTimeout(this.timer);
    if (this.isLent) this.takeBack();
  }

  /** The job has ended. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.isLent) this.takeBack();
    this.slots.giveBack(this.project);
  }

  /** Where too many of the project wait already, the job keeps its slot until fewer do. */
  private lendLater(): void {
    this.timer = setTimeout(() => {
      if (this.waiting.hasRoomFor(this.project)) this.lend();
      else this.lendLater();
    }, PATIENCE_MS).unref();
  }

  private lend(): void {
    this.isLent = true;
    this.waiting.take(this.project);
    this.slots.giveBack(this.project);
    this.tellFree();
  }

  private takeBack(): void {
    this.isLent = false;
    this.waiting.giveBack(this.project);
    this.slots.take(this.project);
  }
}
