import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { BELLS_OUT } from './queue-connections.js';

export interface Bell {
  lane: string;
}

/** Tells the workers that a lane has work. A bell may be lost or rung twice: the work itself is in the database. */
@Injectable()
export class Bells {
  constructor(@InjectQueue(BELLS_OUT) private readonly queue: Queue<Bell>) {}

  /** False when Redis did not take it: the reconciler will find the lane. */
  async ring(lane: string, delaySeconds = 0): Promise<boolean> {
    try {
      // A fresh id each time: Bull would ignore one it knows, even of a bell that is just being answered.
      await this.queue.add({ lane }, { delay: Math.ceil(delaySeconds * 1000) });
      return true;
    } catch {
      return false;
    }
  }

  /** Bells that nobody has answered yet, or null while Redis is away. */
  async unanswered(): Promise<number | null> {
    try {
      return await this.queue.getWaitingCount();
    } catch {
      return null;
    }
  }
}
