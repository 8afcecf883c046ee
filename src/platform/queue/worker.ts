import { setTimeout as wait } from 'node:timers/promises';
import { InjectQueue } from '@nestjs/bull';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { Queue } from 'bull';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { ProcessStops } from './job-runner.js';
import { BELLS_IN, BELLS_OUT, disconnectAll } from './queue-connections.js';
import { Recovery } from './recovery.js';
import { SignsOfLife } from './signs-of-life.js';
import { Slots } from './slots.js';

const LOOK_EVERY_MS = 1_000;
/** For how long others alone hear the bells of a worker that has no room for all there is; some of it may be urgent. */
const OTHERS_FIRST_MS = 100;
/** How long jobs may go on when the process is told to stop, and how long they have once they were told too. */
const DRAIN_MS = 10_000;
const ABORTED_MS = 1_000;

/**
 * Fills its slots when a bell rings, when this process promises something, when a job ends that others waited for, and
 * once a second, should a bell have been lost.
 */
@Injectable()
export class Worker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private looking: Promise<void> = Promise.resolve();

  constructor(
    @InjectQueue(BELLS_IN) private readonly bellsIn: Queue<object>,
    @InjectQueue(BELLS_OUT) private readonly bellsOut: Queue<object>,
    private readonly bells: Bells,
    private readonly slots: Slots,
    private readonly signs: SignsOfLife,
    private readonly recovery: Recovery,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    // Nest would wait here for jobs as long as they take; beforeApplicationShutdown waits as long as is right.
    for (const queue of [this.bellsIn, this.bellsOut]) Object.assign(queue, { onApplicationShutdown: () => undefined });
  }

  onApplicationBootstrap(): void {
    if (this.settings.SLIPWAY_ROLE === 'api') return;
    this.slots.open();
    void this.bellsIn.process(1, () => this.answer());
    this.signs.begin();
    this.looking = this.lookAround();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.slots.close();
    await Promise.race([this.slots.whenIdle(), wait(DRAIN_MS, undefined, { ref: false })]);
    this.slots.abortAll(new ProcessStops());
    await Promise.race([this.slots.whenIdle(), wait(ABORTED_MS, undefined, { ref: false })]);
    this.signs.end();
    await Promise.race([this.looking, wait(ABORTED_MS, undefined, { ref: false })]);
    disconnectAll();
    // Without waiting for whoever answers bells: what they fill are the slots.
    await this.bellsIn.close(true).catch(() => undefined);
  }

  /** What this worker has no room for it leaves to others, and hears the next bell when it has, or a moment later. */
  private async answer(): Promise<void> {
    await this.slots.fill();
    if (!this.slots.isBehind) return;
    await this.bells.ring();
    await Promise.race([this.slots.whenCaughtUp(), wait(OTHERS_FIRST_MS, undefined, { ref: false })]);
  }

  private async lookAround(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.recovery
        .look()
        .catch((error: unknown) =>
          this.log.warn({ err: error }, 'Putting jobs right failed; the next look tries again'),
        );
      await this.slots.fill();
      await wait(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }
}
