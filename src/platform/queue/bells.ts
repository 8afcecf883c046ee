import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { BELLS_OUT } from './queue-connections.js';

/**
 * Wakes a worker: there is work. What and whose, the database says, so a bell may be lost or rung twice, and no
 * project's bells keep another project waiting.
 */
@Injectable()
export class Bells {
  private sending: Promise<void> | undefined;
  private isWanted = false;

  constructor(@InjectQueue(BELLS_OUT) private readonly queue: Queue<object>) {}

  /** Settles when a bell that was rung after the call is taken by Redis, or Redis did not take it. */
  ring(): Promise<void> {
    // What is called for while one is on its way shares the one after it.
    this.isWanted = true;
    this.sending ??= this.send().finally(() => (this.sending = undefined));
    return this.sending;
  }

  /** Bells that nobody has answered yet, or null while Redis is away. */
  async unanswered(): Promise<number | null> {
    try {
      return await this.queue.getWaitingCount();
    } catch {
      return null;
    }
  }

  private async send(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      // While Redis is away workers look for themselves.
      await this.queue.add({}).catch(() => undefined);
    }
  }
}
