import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Coalesced } from '../../kernel/coalesced.js';
import { Shares } from '../../kernel/shares.js';
import { heardBy } from '../../kernel/waiting.js';
import { outsideRequest } from '../context/request-context.js';
import { Statements } from '../database/statements.js';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { JobRunner } from './job-runner.js';
import { HeldSlot } from './held-slot.js';
import { type ClaimedJob, holderOf } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export interface RunningJob {
  job: ClaimedJob;
  abort: AbortController;
}

/**
 * What this process runs at the same time. Of its slots a project takes no more than it leaves to others. A job that waits
 * for others, such as the network, has none.
 */
@Injectable()
export class Slots {
  readonly running = new Map<string, RunningJob>();
  private readonly slots: Shares;
  private readonly waiting: Shares;
  private readonly untilCaughtUp: (() => void)[] = [];
  // Under load one statement serves many slots.
  private readonly filling = new Coalesced(() => this.claim());
  private isOpen = false;
  private abortedFor: Error | undefined;
  /** Slots that are kept for jobs which are about to be committed. */
  private reserved = 0;
  /** How many slots have become free so far. */
  private freed = 0;
  /** There was no room for all that waited, or nobody knows. */
  private mayBeBehind = true;

  constructor(
    private readonly jobs: JobRepository,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    private readonly runner: JobRunner,
    private readonly bells: Bells,
    settings: Settings,
    private readonly log: Log,
  ) {
    this.slots = new Shares(2 * settings.WORKER_SLOTS);
    this.waiting = new Shares(settings.WORKER_WAITING);
  }

  /** Whether there may be work for which nobody here has room. */
  get isBehind(): boolean {
    return this.mayBeBehind || !this.isOpen;
  }

  /** From here on jobs are begun: this process is a worker. */
  open(): void {
    this.isOpen = true;
  }

  /**
   * Keeps a slot for a job that is added now, so that its claim is written with it: null where others wait for slots, or
   * its project has as many as it may. Give it up, or begin the job, once it is known what became of the job.
   */
  reserve(job: Held): string | null {
    if (this.isBehind) return null;
    if (!this.slots.hasRoomFor(holderOf(job))) {
      this.mayBeBehind = true;
      return null;
    }
    this.reserved += 1;
    this.slots.take(holderOf(job));
    return randomUUID();
  }

  giveUpReserved(job: Held): void {
    this.reserved -= 1;
    this.slots.giveBack(holderOf(job));
    this.tellFreed();
  }

  /** The job that a slot was kept for is committed. */
  beginReserved(job: ClaimedJob): void {
    this.reserved -= 1;
    outsideRequest(() => this.start(job));
  }

  /** Work of these is there. It is taken up here while they have room, which saves the way through Redis; others are told. */
  async offer(jobs: readonly Held[]): Promise<void> {
    if (this.isOpen && jobs.some((job) => this.slots.hasRoomFor(holderOf(job))))
      await outsideRequest(() => this.fill());
    if (this.isBehind) await this.bells.ring();
  }

  /** Claims until nobody who waits has room. */
  fill(): Promise<void> {
    return this.filling.ask();
  }

  /** Settles when nothing waits for a slot, or no more jobs are taken. */
  whenCaughtUp(): Promise<void> {
    return !this.isOpen ? Promise.resolve() : new Promise((resolve) => this.untilCaughtUp.push(resolve));
  }

  /** No job is claimed any more. What was promised with a slot of this process is still begun. */
  close(): void {
    this.isOpen = false;
    this.tellCaughtUp();
  }

  async whenIdle(): Promise<void> {
    while (this.running.size + this.reserved > 0 || this.filling.isWorking) await wait(20, undefined, { ref: false });
  }

  /** Also what is begun from here on, since it was promised before. */
  abortAll(reason: Error): void {
    this.abortedFor = reason;
    for (const { abort } of this.running.values()) abort.abort(reason);
  }

  private async claim(): Promise<void> {
    const { left, freed } = { left: this.slots.left, freed: this.freed };
    if (!this.isOpen || left === 0) return;
    const before = new Map(this.slots.byHolder);
    try {
      const jobs = await this.worker.ask(this.jobs.claim(left, before));
      for (const job of jobs) this.slots.take(holderOf(job));
      for (const job of jobs) this.start(job);
      this.mayBeBehind = isAnyAtLimit(left, before, jobs);
      if (!this.mayBeBehind) this.tellCaughtUp();
      // What was freed meanwhile is room that the statement did not know of.
      else if (this.freed > freed) void this.fill();
    } catch (error) {
      this.mayBeBehind = true;
      this.log.warn({ err: error }, 'Claiming jobs failed; the next look tries again');
    }
  }

  private start(job: ClaimedJob): void {
    const abort = new AbortController();
    const slot = new HeldSlot(holderOf(job), this.slots, this.waiting, () => this.tellFreed());
    this.running.set(job.claim, { job, abort });
    if (this.abortedFor) abort.abort(this.abortedFor);
    // A job whose end could not be written is taken back when its lease runs out.
    void heardBy(slot, () => this.runner.run(job, abort.signal))
      .catch((error: unknown) => {
        this.log.warn({ err: error, jobId: job.id }, 'A job could not be ended');
        return true;
      })
      .then((isFollowed) => {
        this.running.delete(job.claim);
        slot.end();
        this.tellFreed(isFollowed || this.mayBeBehind);
      });
  }

  private tellFreed(isWanted = this.mayBeBehind): void {
    this.freed += 1;
    if (isWanted) void this.fill();
  }

  private tellCaughtUp(): void {
    for (const resolve of this.untilCaughtUp.splice(0)) resolve();
  }
}

type Held = Parameters<typeof holderOf>[0];

/** Whether one who has no room after a claim may have had more that waited. */
function isAnyAtLimit(left: number, before: ReadonlyMap<string, number>, claimed: readonly ClaimedJob[]): boolean {
  const counts = new Map(before);
  for (const job of claimed) counts.set(holderOf(job), (counts.get(holderOf(job)) ?? 0) + 1);
  return [0, ...counts.values()].some((count) => count >= left - claimed.length);
}
