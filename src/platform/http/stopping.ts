import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';

/**
 * The time between the stop signal and the closing of the server. The process reports that it is not ready, but still
 * answers, because a balancer takes some seconds to notice.
 */
@Injectable()
export class Stopping implements BeforeApplicationShutdown {
  private hasStarted = false;
  private isClosing = false;
  private readonly closings = new Set<() => void>();

  constructor(private readonly settings: Settings) {}

  get hasBegun(): boolean {
    return this.hasStarted;
  }

  /** Calls `close` when the process is about to end its requests, or at once. The returned function ends that. */
  onClosing(close: () => void): () => void {
    if (this.isClosing) close();
    else this.closings.add(close);
    return () => void this.closings.delete(close);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.hasStarted = true;
    await wait(this.settings.STOP_DELAY_SECONDS * 1000);
    this.isClosing = true;
    for (const close of this.closings) close();
  }
}
