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

  constructor(private readonly settings: Settings) {}

  get hasBegun(): boolean {
    return this.hasStarted;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.hasStarted = true;
    await wait(this.settings.STOP_DELAY_SECONDS * 1000);
  }
}
