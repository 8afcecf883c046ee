import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { Coalesced } from '../../kernel/coalesced.js';
import { BELLS_OUT } from './queue-connections.js';

/**
 * Wakes a worker, because there is work. The database says which work, so a bell may be lost or rung twice, and no
 * project's bells delay another project.
 */
@Injectable()
export class Bells {
  private readonly sending = new Coalesced(() => this.send());

  constructor(@InjectQueue(BELLS_OUT) private readonly queue: Queue<object>) {}

  /** Settles when Redis has accepted a bell that was rung after this call, or could not accept it. */
  ring(): Promise<void> {
    return this.sending.ask();
  }

  /** Counts the bells that no worker has answered yet. Returns null while Redis is unavailable. */
  async unanswered(): Promise<number | null> {
    try {
      return await this.queue.getWaitingCount();
    } catch {
      return null;
    }
  }

  /** Ignores a failure, because workers poll while Redis is unavailable. */
  private async send(): Promise<void> {
    await this.queue.add({}).catch(() => undefined);
  }
}
