import { FairQueue } from '../../kernel/fair-queue.js';

/** After this time without a begin, requests begin even if connections still arrive. */
const WAIT_AT_MOST_MS = 100;

const ANY = () => true;

/**
 * Lets requests wait while many connections arrive at once, and then begins those of each sender in turn. Node accepts
 * one connection in each pass of its event loop. If each request began as soon as it was read, then every connection
 * would wait for work on the requests of all connections before it, also on those of other senders.
 */
export class Arrivals {
  private readonly waiting = new FairQueue<() => void>();
  private hasAccepted = false;
  private isLooking = false;
  private begunAt = 0;

  connectionAccepted(): void {
    this.hasAccepted = true;
    if (this.isLooking) return;
    this.isLooking = true;
    this.begunAt = performance.now();
    setImmediate(this.look);
  }

  /** Begins the request at once, unless connections arrive or other requests wait. */
  requestRead(sender: string, begin: () => void): void {
    if (this.isLooking) this.waiting.add(sender, begin);
    else begin();
  }

  /**
   * Runs once in each pass of the event loop, until no connection has arrived in a pass and no request waits. It begins
   * one request, so that the work on those that have begun goes on in between.
   */
  private readonly look = (): void => {
    const hasAccepted = this.hasAccepted;
    this.hasAccepted = false;
    if (!hasAccepted || performance.now() - this.begunAt >= WAIT_AT_MOST_MS) {
      this.begunAt = performance.now();
      this.waiting.next(ANY)?.();
    }
    this.isLooking = hasAccepted || this.waiting.hasNext(ANY);
    if (this.isLooking) setImmediate(this.look);
  };
}
