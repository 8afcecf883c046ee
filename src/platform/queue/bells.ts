import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { Coalesced } from '../../kernel/coalesced.js';
import { BELLS_OUT } from './queue-connections.js';

/**
 * Wakes a worker: there is work. What and whose, the database says, so a bell may be lost or rung twice, and no
 * project's bells keep another project waiting.
 */
@Injectable()
export class Bells {
  private readonly sending = new Coalesced(() => this.send());

  constructor(@InjectQueue(BELLS_OUT) private readonly queue: Queue<object>) {}

  /** Settles when a bell that was rung after the call is taken by Redis, or Redis did not take it. */
  ring(): Promise<void> {
    return this.sending.ask();
  }

  /** Bells that nobody has answered yet, or null while Redis is away. */
  async unanswered(): Promise<number | null> {
    try {
      return await this.queue.getWaitingCount();
    } catch {
      return null;
    }
  }

  /** While Redis is away workers look for themselves. */
  private async send(): Promise<void> {
    await this.queue.add({}).catch(() => undefined);
  }
}
