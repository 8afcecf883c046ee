import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';

/** Between being told to stop and closing the door: not ready any more, but still answering whoever has not noticed. */
@Injectable()
export class Stopping implements BeforeApplicationShutdown {
  private told = false;

  constructor(private readonly settings: Settings) {}

  get isTold(): boolean {
    return this.told;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.told = true;
    await wait(this.settings.STOP_DELAY_SECONDS * 1000);
  }
}
