import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Coalesced } from '../../kernel/coalesced.js';
import type { QueueName } from '../../kernel/queues.js';
import { Shares } from '../../kernel/shares.js';
import { withWaiter } from '../../kernel/waiting.js';
import { outsideRequest } from '../context/request-context.js';
import { Statements } from '../database/statements.js';
import { Settings } from '../config/settings.js';
import { OutageLog } from '../database/outage-log.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { claim, type Room } from './claim.statement.js';
import { JobRunner } from './job-runner.js';
import { LendableSlot } from './lendable-slot.js';
import { type ClaimedJob, slotOwnerOf, type SlotUser } from './job.entity.js';
import { ServedQueues } from './served-queues.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export interface RunningJob {
  job: ClaimedJob;
  abort: AbortController;
}

/**
 * The jobs that this process runs at the same time, all of queues that it serves. A project takes no more slots than it
 * leaves to others. A job that waits for the network lends its slot to another job.
 */
@Injectable()
export class Slots {
  readonly running = new Map<string, RunningJob>();
  private readonly slots: Shares;
  private readonly waiting: Shares;
  private readonly queues: ServedQueues;
  private readonly untilCaughtUp = new Map<QueueName, () => void>();
  // Requests to fill are merged, so that under load one statement claims jobs for many slots.
  private readonly filling = new Coalesced(() => this.claim());
  private isOpen = false;
  private abortedFor: Error | undefined;
  /** The number of slots that are reserved for jobs which are about to be committed. */
  private reserved = 0;
  /** How many slots have become free so far. */
  private freed = 0;
  /** Whether a job was offered, began or ended since `takeActivity` was called last. */
  private isActive = true;
  /**
   * Whether there may be due jobs without a slot: a claim or a reservation reached a limit, or a claim failed. True until
   * the first claim.
   */
  private mayBeBehind = true;

  constructor(
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    private readonly runner: JobRunner,
    private readonly bells: Bells,
    settings: Settings,
    private readonly outages: OutageLog,
    private readonly log: Log,
  ) {
    // A project gets at most half of the slots, so a project that is alone runs WORKER_SLOTS jobs.
    this.slots = new Shares(2 * settings.WORKER_SLOTS);
    this.waiting = new Shares(settings.WORKER_WAITING);
    this.queues = new ServedQueues(settings.SLIPWAY_QUEUES);
  }

  /** Whether there may be work for which this process has no room. */
  get isBehind(): boolean {
    return this.mayBeBehind || !this.isOpen;
  }

  hasRoomIn(queue: QueueName): boolean {
    return this.queues.hasRoomIn(queue);
  }

  /** Whether there may be work in this queue that other processes have to do. */
  isBehindWith(queue: QueueName): boolean {
    return this.isBehind || !this.hasRoomIn(queue);
  }

  /** Returns whether jobs were offered, began or ended since the last call, so that others may be due soon. */
  takeActivity(): boolean {
    const wasActive = this.isActive || this.running.size > 0;
    this.isActive = false;
    return wasActive;
  }

  /** Begins to claim jobs: this process is a worker. */
  open(): void {
    this.isOpen = true;
  }

  /**
   * Reserves a slot for a job that is being added, so that its claim is written with it. Returns the claim's id, or
   * null if other jobs wait for slots, the project has used its share, or the queue has no room. The caller begins the
   * job or releases the slot once it knows the outcome of the transaction.
   */
  reserve(job: SlotUser): string | null {
    if (this.isBehindWith(job.queue)) return null;
    // A claim that is being made may use all the room of the queue.
    if (this.queues.isLimited(job.queue) && this.filling.isWorking) return null;
    if (!this.slots.hasRoomFor(slotOwnerOf(job))) {
      this.mayBeBehind = true;
      return null;
    }
    this.reserved += 1;
    this.take(job);
    return randomUUID();
  }

  releaseReserved(job: SlotUser): void {
    this.reserved -= 1;
    this.slots.release(slotOwnerOf(job));
    this.noteFreed(this.queues.release(job.queue) || this.mayBeBehind);
  }

  /** Starts a job whose slot was reserved, after the job was committed. */
  beginReserved(job: ClaimedJob): void {
    this.reserved -= 1;
    outsideRequest(() => this.start(job));
  }

  /**
   * Claims due jobs here, as a rule these, if their projects have room, which saves the way through Redis. Rings for
   * other workers if there may be more work than room.
   */
  async offer(jobs: readonly SlotUser[]): Promise<void> {
    this.isActive = true;
    if (this.isOpen && jobs.some((job) => this.hasRoomFor(job))) await outsideRequest(() => this.fill());
    const queues = new Set(jobs.map(({ queue }) => queue));
    await Promise.all([...queues].filter((queue) => this.isBehindWith(queue)).map((queue) => this.bells.ring(queue)));
  }

  /** Claims jobs until no project with due jobs has room, or no queue. */
  fill(): Promise<void> {
    return this.filling.ask();
  }

  /**
   * Settles when no job of the queue waits for a slot, or when this process claims no more jobs. A later call for the
   * same queue takes the place of an earlier one, which then never settles.
   */
  whenCaughtUpWith(queue: QueueName): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => this.untilCaughtUp.set(queue, resolve));
  }

  /** Stops claiming jobs. A job with a reserved slot still begins. */
  close(): void {
    this.isOpen = false;
    this.resolveCaughtUp();
  }

  async whenIdle(): Promise<void> {
    while (this.running.size + this.reserved > 0 || this.filling.isWorking) await wait(20, undefined, { ref: false });
  }

  /** Aborts all running jobs, and each job with a reserved slot as soon as it begins. */
  abortAll(reason: Error): void {
    this.abortedFor = reason;
    for (const { abort } of this.running.values()) abort.abort(reason);
  }

  private async claim(): Promise<void> {
    const { freed } = this;
    const room: Room = {
      left: this.slots.left,
      running: new Map(this.slots.countsByOwner),
      queues: this.queues.rooms,
    };
    if (!this.isOpen || room.left === 0 || room.queues.size === 0) return;
    try {
      const jobs = await this.worker.ask(claim(room));
      for (const job of jobs) this.take(job);
      for (const job of jobs) this.start(job);
      this.mayBeBehind = isAnyAtLimit(room, jobs);
      this.resolveCaughtUp();
      // A slot that became free meanwhile was not known to the statement.
      if (this.freed > freed && (this.mayBeBehind || isAnyQueueAtLimit(room, jobs))) void this.fill();
    } catch (error) {
      this.mayBeBehind = true;
      if (!this.outages.note(error)) this.log.warn({ err: error }, 'Claiming jobs failed; the next look tries again');
    }
  }

  private start(job: ClaimedJob): void {
    this.isActive = true;
    const abort = new AbortController();
    const slot = new LendableSlot(slotOwnerOf(job), this.slots, this.waiting, () => this.noteFreed());
    this.running.set(job.claim, { job, abort });
    if (this.abortedFor) abort.abort(this.abortedFor);
    // A job whose end could not be written is reclaimed when its lease runs out.
    void withWaiter(slot, () => this.runner.run(job, abort.signal))
      .catch((error: unknown) => {
        if (!this.outages.note(error)) this.log.warn({ err: error, jobId: job.id }, 'A job could not be ended');
        return true;
      })
      .then((mayBeClaimable) => {
        this.running.delete(job.claim);
        slot.end();
        const wasFull = this.queues.release(job.queue);
        this.noteFreed(wasFull || mayBeClaimable || this.mayBeBehind);
      });
  }

  private hasRoomFor(job: SlotUser): boolean {
    return this.slots.hasRoomFor(slotOwnerOf(job)) && this.hasRoomIn(job.queue);
  }

  private take(job: SlotUser): void {
    this.slots.take(slotOwnerOf(job));
    this.queues.take(job.queue);
  }

  private noteFreed(isWanted = this.mayBeBehind): void {
    this.freed += 1;
    this.isActive = true;
    if (isWanted) void this.fill();
  }

  private resolveCaughtUp(): void {
    for (const [queue, resolve] of this.untilCaughtUp) {
      if (this.isOpen && this.isBehindWith(queue)) continue;
      this.untilCaughtUp.delete(queue);
      resolve();
    }
  }
}

/**
 * Whether some project has reached its limit with this claim, so that it may have further due jobs. The 0 stands for a
 * project that runs none.
 */
function isAnyAtLimit({ left, running }: Room, claimed: readonly ClaimedJob[]): boolean {
  const counts = new Map(running);
  for (const job of claimed) counts.set(slotOwnerOf(job), (counts.get(slotOwnerOf(job)) ?? 0) + 1);
  return [0, ...counts.values()].some((count) => count >= left - claimed.length);
}

/** Whether some queue has used its room with this claim, so that it may have further due jobs. */
function isAnyQueueAtLimit({ queues }: Room, claimed: readonly ClaimedJob[]): boolean {
  return [...queues].some(([queue, room]) => claimed.filter((job) => job.queue === queue).length >= room);
}
