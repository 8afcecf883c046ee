import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { Coalesced } from '../../kernel/coalesced.js';
import type { QueueName } from '../../kernel/queues.js';
import { BellQueues } from './bell-queues.js';

/**
 * Wakes a worker that serves a queue, because there is work. The database says which work, so a bell may be lost or rung
 * twice, and no project's bells delay another project.
 */
@Injectable()
export class Bells {
  private readonly bells: ReadonlyMap<QueueName, Coalesced>;

  constructor(private readonly queues: BellQueues) {
    this.bells = new Map([...queues.ringing].map(([name, queue]) => [name, new Coalesced(() => send(queue))]));
  }

  /**
   * Settles when Redis has accepted a bell that was rung after this call, or could not accept it. A queue of a newer
   * release has no bell here.
   */
  async ring(queue: QueueName): Promise<void> {
    await this.bells.get(queue)?.ask();
  }

  /** Counts the bells of each queue that no worker has answered yet. Returns null while Redis is unavailable. */
  async unanswered(): Promise<[QueueName, number][] | null> {
    try {
      return await Promise.all(
        [...this.queues.ringing].map(async ([name, queue]): Promise<[QueueName, number]> => [
          name,
          await queue.getWaitingCount(),
        ]),
      );
    } catch {
      return null;
    }
  }
}

/** Ignores a failure, because workers poll while Redis is unavailable. */
async function send(queue: Queue<object>): Promise<void> {
  await queue.add({}).catch(() => undefined);
}
