import { Injectable } from '@nestjs/common';
import { shareOwnerOf } from '../../kernel/actor.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import { type Waiter, withWaiter } from '../../kernel/waiting.js';
import { Settings } from '../config/settings.js';
import type { RequestContext } from '../context/request-context.js';
import { httpErrors } from '../route/http.errors.js';
import { defineGauge } from '../telemetry/metric-definition.js';
import { Metrics } from '../telemetry/metrics.js';

/** A client that waits longer has usually sent its request to another process by then. */
const WAIT_WITHIN_MS = 10_000;
/** The number of requests of one project that may wait for each slot of the process. */
const WAITING_PER_SLOT = 8;

const waiting = defineGauge('slipway_http_requests_waiting', {
  help: 'Requests that wait for a slot, because the process or their project has none left.',
});

/**
 * Bounds the requests that a process works on at the same time. Further requests wait in a queue in which projects
 * take turns, and are refused if the queue or the wait is too long. A process that took all of them would answer none in
 * time, and would still be working for clients that have left when the overload is over.
 */
@Injectable()
export class RequestSlots {
  private readonly slots: FairSemaphore;
  private readonly maxWaiting: number;

  constructor({ REQUEST_SLOTS }: Settings, metrics: Metrics) {
    const slots = new FairSemaphore(REQUEST_SLOTS);
    this.slots = slots;
    this.maxWaiting = WAITING_PER_SLOT * REQUEST_SLOTS;
    metrics.read(waiting, () => slots.waiting);
  }

  /** Does the work of a request in a slot. A client that leaves while it waits costs no work. */
  async run<T>(request: RequestContext, work: () => Promise<T>): Promise<T> {
    const owner = shareOwnerOf(request.actor);
    if (!this.slots.tryAcquire(owner)) await this.waitFor(owner, request);
    const slot = new RequestSlot(owner, this.slots);
    try {
      request.throwIfAborted();
      return await withWaiter(slot, work);
    } finally {
      slot.end();
    }
  }

  private async waitFor(owner: string, request: RequestContext): Promise<void> {
    if (this.slots.waitingOf(owner) >= this.maxWaiting) throw httpErrors.overloaded();
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.slots.acquire(owner, (stop) => {
        timer = setTimeout(() => stop(httpErrors.overloaded()), WAIT_WITHIN_MS);
        return request.onAbort(stop);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The slot of a request, which others take while the request waits for the network. */
class RequestSlot implements Waiter {
  private openWaits = 0;
  private isOver = false;

  constructor(
    private readonly owner: string,
    private readonly slots: FairSemaphore,
  ) {}

  waitBegins(): void {
    this.openWaits += 1;
    if (this.openWaits === 1 && !this.isOver) this.slots.release(this.owner);
  }

  /** The request goes on at once, because what it has waited for may not last. */
  waitEnds(): void {
    this.openWaits -= 1;
    if (this.openWaits === 0 && !this.isOver) this.slots.acquireAnyway(this.owner);
  }

  end(): void {
    const hasSlot = this.openWaits === 0;
    this.isOver = true;
    if (hasSlot) this.slots.release(this.owner);
  }
}
