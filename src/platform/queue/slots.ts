import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Coalesced } from '../../kernel/coalesced.js';
import { Shares } from '../../kernel/shares.js';
import { withWaiter } from '../../kernel/waiting.js';
import { outsideRequest } from '../context/request-context.js';
import { Statements } from '../database/statements.js';
import { Settings } from '../config/settings.js';
import { OutageLog } from '../database/outage-log.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { JobRunner } from './job-runner.js';
import { LendableSlot } from './lendable-slot.js';
import { type ClaimedJob, slotOwnerOf } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export interface RunningJob {
  job: ClaimedJob;
  abort: AbortController;
}

/**
 * The jobs that this process runs at the same time. A project takes no more slots than it leaves to others. A job that
 * waits for the network lends its slot to another job.
 */
@Injectable()
export class Slots {
  readonly running = new Map<string, RunningJob>();
  private readonly slots: Shares;
  private readonly waiting: Shares;
  private readonly untilCaughtUp: (() => void)[] = [];
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
   * Whether there may be due jobs without room: a claim or a reservation reached a limit, or a claim failed. True until
   * the first claim.
   */
  private mayBeBehind = true;

  constructor(
    private readonly jobs: JobRepository,
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
  }

  /** Whether there may be work for which this process has no room. */
  get isBehind(): boolean {
    return this.mayBeBehind || !this.isOpen;
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
   * null if other jobs wait for slots or the project has used its share. The caller begins the job or releases the slot
   * once it knows the outcome of the transaction.
   */
  reserve(job: SlotUser): string | null {
    if (this.isBehind) return null;
    if (!this.slots.hasRoomFor(slotOwnerOf(job))) {
      this.mayBeBehind = true;
      return null;
    }
    this.reserved += 1;
    this.slots.take(slotOwnerOf(job));
    return randomUUID();
  }

  releaseReserved(job: SlotUser): void {
    this.reserved -= 1;
    this.slots.release(slotOwnerOf(job));
    this.noteFreed();
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
    if (this.isOpen && jobs.some((job) => this.slots.hasRoomFor(slotOwnerOf(job))))
      await outsideRequest(() => this.fill());
    if (this.isBehind) await this.bells.ring();
  }

  /** Claims jobs until no project with due jobs has room. */
  fill(): Promise<void> {
    return this.filling.ask();
  }

  /** Settles when no job waits for a slot, or when this process claims no more jobs. */
  whenCaughtUp(): Promise<void> {
    return !this.isOpen ? Promise.resolve() : new Promise((resolve) => this.untilCaughtUp.push(resolve));
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
    const { left, freed } = { left: this.slots.left, freed: this.freed };
    if (!this.isOpen || left === 0) return;
    const before = new Map(this.slots.countsByOwner);
    try {
      const jobs = await this.worker.ask(this.jobs.claim(left, before));
      for (const job of jobs) this.slots.take(slotOwnerOf(job));
      for (const job of jobs) this.start(job);
      this.mayBeBehind = isAnyAtLimit(left, before, jobs);
      if (!this.mayBeBehind) this.resolveCaughtUp();
      // A slot that became free meanwhile was not known to the statement.
      else if (this.freed > freed) void this.fill();
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
        this.noteFreed(mayBeClaimable || this.mayBeBehind);
      });
  }

  private noteFreed(isWanted = this.mayBeBehind): void {
    this.freed += 1;
    this.isActive = true;
    if (isWanted) void this.fill();
  }

  private resolveCaughtUp(): void {
    for (const resolve of this.untilCaughtUp.splice(0)) resolve();
  }
}

type SlotUser = Parameters<typeof slotOwnerOf>[0];

/**
 * Whether some project has reached its limit with this claim, so that it may have further due jobs. The 0 stands for a
 * project that runs none.
 */
function isAnyAtLimit(left: number, before: ReadonlyMap<string, number>, claimed: readonly ClaimedJob[]): boolean {
  const counts = new Map(before);
  for (const job of claimed) counts.set(slotOwnerOf(job), (counts.get(slotOwnerOf(job)) ?? 0) + 1);
  return [0, ...counts.values()].some((count) => count >= left - claimed.length);
}
