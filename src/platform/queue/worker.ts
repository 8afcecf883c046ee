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
import { type Bell, Bells } from './bells.js';
import { JobStore } from './job-store.js';
import { LaneRunner } from './lane-runner.js';
import { BELLS_IN, BELLS_OUT, disconnectAll } from './queue-connections.js';

const LOOK_EVERY_MS = 1_000;
const LANES_A_LOOK = 500;
/** How long jobs may go on when the process is told to stop, and how long they have once they were told too. */
const DRAIN_MS = 10_000;
const ABORTED_MS = 1_000;

/** Answers bells, and looks for itself for what no bell was heard for. */
@Injectable()
export class Worker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopping = false;
  private lookedUpTo = '';
  private looking: Promise<void> = Promise.resolve();

  constructor(
    @InjectQueue(BELLS_IN) private readonly bellsIn: Queue<Bell>,
    @InjectQueue(BELLS_OUT) private readonly bellsOut: Queue<Bell>,
    private readonly bells: Bells,
    private readonly lanes: LaneRunner,
    private readonly store: JobStore,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    // Nest would wait here for jobs as long as they take; beforeApplicationShutdown waits as long as is right.
    for (const queue of [this.bellsIn, this.bellsOut]) Object.assign(queue, { onApplicationShutdown: () => undefined });
  }

  onApplicationBootstrap(): void {
    if (this.settings.SLIPWAY_ROLE === 'api') return;
    void this.bellsIn.process(this.settings.WORKER_SLOTS, ({ data }) => this.answer(data.lane));
    this.looking = this.lookAround();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const idle = this.bellsIn.close().catch(() => undefined);
    await Promise.race([idle, this.whenIdle(), wait(DRAIN_MS, undefined, { ref: false })]);
    this.lanes.abortAll(new Error('The process stops'));
    await Promise.race([this.whenIdle(), wait(ABORTED_MS, undefined, { ref: false })]);
    await this.looking;
    disconnectAll();
  }

  private async answer(lane: string): Promise<void> {
    if (!this.stopping) await this.lanes.run(lane);
  }

  private async lookAround(): Promise<void> {
    while (!this.stopping) {
      await this.lookOnce().catch((error: unknown) => this.log.warn({ err: error }, 'Looking for jobs failed'));
      await wait(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  /** Rings for what is due; while Redis is away it runs what it can itself. */
  private async lookOnce(): Promise<void> {
    await this.store.takeBack();
    await this.store.forgetEnded();
    // Bells that wait will be answered first: ringing more of them would only pile them up.
    if (((await this.bells.unanswered()) ?? 0) > 0) return;
    const lanes = await this.store.dueLanes(this.lookedUpTo, LANES_A_LOOK);
    this.lookedUpTo = lanes.length === LANES_A_LOOK ? lanes.at(-1)! : '';
    for (const lane of lanes) {
      if (!(await this.bells.ring(lane))) this.runWithoutBell(lane);
    }
  }

  private runWithoutBell(lane: string): void {
    if (this.lanes.count >= this.settings.WORKER_SLOTS) return;
    this.lanes.run(lane).catch((error: unknown) => this.log.warn({ err: error, lane }, 'Running a lane failed'));
  }

  private async whenIdle(): Promise<void> {
    while (this.lanes.count > 0) await wait(20, undefined, { ref: false });
  }
}
