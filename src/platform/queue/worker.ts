import { setTimeout as wait } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { QueueName } from '../../kernel/queues.js';
import { Settings } from '../config/settings.js';
import { OutageLog } from '../database/outage-log.js';
import { Log } from '../telemetry/log.js';
import { BellQueues } from './bell-queues.js';
import { Bells } from './bells.js';
import { Heartbeat } from './heartbeat.js';
import { ProcessStops } from './job-runner.js';
import { QueueConnections } from './queue-connections.js';
import { Recovery } from './recovery.js';
import { Slots } from './slots.js';

/**
 * How often a worker decides whether to look for jobs. It looks each time while there is something to do. If nothing was
 * due at its last look, it also looks when the next job becomes due.
 */
const DECIDE_EVERY_MS = 1_000;
/**
 * How long a worker without room leaves the bells to other workers. It then answers again, because a due job may be
 * urgent.
 */
const OTHERS_FIRST_MS = 100;
/** How long jobs may run on when the process stops, and how long they may run once their signals are aborted. */
const DRAIN_MS = 10_000;
const ABORTED_MS = 1_000;

/**
 * Fills its slots when a bell rings, when this process adds a job, when a job ends while others wait, and when a job
 * becomes due. In case a bell was lost, it also looks for jobs once a second, or every `WORKER_LOOK_SECONDS` when idle.
 */
@Injectable()
export class Worker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private polling: Promise<void> = Promise.resolve();
  /** Whether a bell was answered since the last look. */
  private isWoken = false;

  constructor(
    private readonly queues: BellQueues,
    private readonly connections: QueueConnections,
    private readonly bells: Bells,
    private readonly slots: Slots,
    private readonly heartbeat: Heartbeat,
    private readonly recovery: Recovery,
    private readonly settings: Settings,
    private readonly outages: OutageLog,
    private readonly log: Log,
  ) {}

  private get served(): QueueName[] {
    return [...this.settings.SLIPWAY_QUEUES.keys()];
  }

  onModuleInit(): void {
    // Nest would wait here until all bells are answered, without a limit. `beforeApplicationShutdown` limits the wait.
    for (const queue of [...this.queues.listening.values(), ...this.queues.ringing.values()])
      Object.assign(queue, { onApplicationShutdown: () => undefined });
  }

  onApplicationBootstrap(): void {
    if (this.settings.SLIPWAY_ROLE === 'api') return;
    if (this.settings.JOBS === 'held') {
      this.log.warn('Jobs do not run (JOBS=held), so no message is answered and no callback is sent');
      return;
    }
    this.slots.open();
    for (const name of this.served) void this.queues.listening.get(name)!.process(1, () => this.answer(name));
    this.heartbeat.start();
    this.polling = this.poll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.slots.close();
    await Promise.race([this.slots.whenIdle(), wait(DRAIN_MS, undefined, { ref: false })]);
    this.slots.abortAll(new ProcessStops());
    await Promise.race([this.slots.whenIdle(), wait(ABORTED_MS, undefined, { ref: false })]);
    this.heartbeat.stop();
    await Promise.race([this.polling, wait(ABORTED_MS, undefined, { ref: false })]);
    this.connections.disconnect();
    // `close(true)` does not wait for a bell that is being answered, because the slots accept no more jobs.
    const closing = this.served.map((name) => this.queues.listening.get(name)!.close(true));
    await Promise.allSettled(closing);
  }

  /**
   * Fills the slots. A worker without room rings again for the others, and answers the next bell of the queue when it has
   * room. If only slots are missing, it answers a moment later too.
   */
  private async answer(queue: QueueName): Promise<void> {
    this.isWoken = true;
    if (this.slots.hasRoomIn(queue)) await this.slots.fill();
    if (!this.slots.isBehindWith(queue)) return;
    await this.bells.ring(queue);
    const caughtUp = this.slots.whenCaughtUpWith(queue);
    // A queue that has reached its limit can begin no job, however urgent it is.
    const mayBegin = this.slots.hasRoomIn(queue);
    await (mayBegin ? Promise.race([caughtUp, wait(OTHERS_FIRST_MS, undefined, { ref: false })]) : caughtUp);
  }

  private async poll(): Promise<void> {
    const { signal } = this.stopping;
    let lookAt = 0;
    while (!signal.aborted) {
      if (this.mayHaveWork() || performance.now() >= lookAt) {
        const nextInMs = await this.look();
        lookAt = performance.now() + nextInMs;
      }
      const pauseMs = Math.max(0, Math.min(DECIDE_EVERY_MS, lookAt - performance.now()));
      await wait(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** Whether the worker has to look for jobs now, although its last look found none that is due. */
  private mayHaveWork(): boolean {
    const mayHaveWork =
      this.slots.takeActivity() || this.isWoken || this.slots.isBehind || !this.connections.isListening;
    this.isWoken = false;
    return mayHaveWork;
  }

  /** Begins the jobs that are due, and returns the milliseconds until the next look. */
  private async look(): Promise<number> {
    try {
      const { hasDue, hasExpired, hasSuspensionOver, hasQueue, dueInMs } = await this.recovery.recover();
      const hasWork = hasDue || hasExpired || hasSuspensionOver || hasQueue;
      if (hasWork || this.slots.isBehind) await this.slots.fill();
      return hasWork ? DECIDE_EVERY_MS : Math.min(dueInMs ?? Infinity, this.settings.WORKER_LOOK_SECONDS * 1_000);
    } catch (error) {
      if (!this.outages.note(error))
        this.log.warn({ err: error }, 'Looking for jobs failed; the worker tries again in a second');
      await this.slots.fill();
      return DECIDE_EVERY_MS;
    }
  }
}
