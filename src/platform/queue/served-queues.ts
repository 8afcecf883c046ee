import type { QueueLimits, QueueName } from '../../kernel/queues.js';

/** The queues that a process serves, and how many of their jobs it runs. */
export class ServedQueues {
  private readonly counts = new Map<QueueName, number>();

  constructor(private readonly limits: QueueLimits) {}

  /** The queues of which this process may begin further jobs, and how many of each. */
  get rooms(): QueueLimits {
    const rooms = [...this.limits.keys()].map((queue): [QueueName, number] => [queue, this.roomIn(queue)]);
    return new Map(rooms.filter(([, room]) => room > 0));
  }

  /** Returns false for a queue that this process does not serve, as well. */
  hasRoomIn(queue: QueueName): boolean {
    return this.roomIn(queue) > 0;
  }

  isLimited(queue: QueueName): boolean {
    return this.limits.get(queue) !== Infinity;
  }

  take(queue: QueueName): void {
    this.counts.set(queue, this.countOf(queue) + 1);
  }

  /** Returns whether the queue had no room before, so that jobs of it may have waited for this. */
  release(queue: QueueName): boolean {
    const wasFull = !this.hasRoomIn(queue);
    this.counts.set(queue, this.countOf(queue) - 1);
    return wasFull;
  }

  private roomIn(queue: QueueName): number {
    return (this.limits.get(queue) ?? 0) - this.countOf(queue);
  }

  private countOf(queue: QueueName): number {
    return this.counts.get(queue) ?? 0;
  }
}
