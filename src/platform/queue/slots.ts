import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Coalesced } from '../../kernel/coalesced.js';
import { outsideRequest } from '../context/request-context.js';
import { Statements } from '../database/statements.js';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { Bells } from './bells.js';
import { JobRunner } from './job-runner.js';
import type { ClaimedJob } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export interface RunningJob {
  job: ClaimedJob;
  abort: AbortController;
}

/** What this process runs at the same time: never more than its slots, always as much as waits. */
@Injectable()
export class Slots {
  readonly running = new Map<string, RunningJob>();
  private readonly untilFree: (() => void)[] = [];
  // Under load one statement serves many slots.
  private readonly filling = new Coalesced(() => this.claim());
  private isOpen = false;
  /** Slots that are kept for jobs which are about to be committed. */
  private reserved = 0;
  /** There was no room for all that waited, or nobody knows. */
  private isBehind = true;

  constructor(
    private readonly jobs: JobRepository,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    private readonly runner: JobRunner,
    private readonly bells: Bells,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {}

  get free(): number {
    return this.isOpen ? this.settings.WORKER_SLOTS - this.running.size - this.reserved : 0;
  }

  /** From here on jobs are begun: this process is a worker. */
  open(): void {
    this.isOpen = true;
  }

  /**
   * Keeps a slot for a job that is added now, so that its claim is written with it: null where others wait for slots, or
   * there is none. Give it up, or begin the job, once it is known what became of the job.
   */
  reserve(): string | null {
    if (this.isBehind || this.free === 0) return null;
    this.reserved += 1;
    if (this.free === 0) this.isBehind = true;
    return randomUUID();
  }

  giveUpReserved(): void {
    this.reserved -= 1;
    if (this.isBehind) void this.fill();
  }

  /** The job that a slot was kept for is committed. */
  beginReserved(job: ClaimedJob): void {
    this.reserved -= 1;
    outsideRequest(() => this.start(job));
  }

  /** Work is there. It is taken up here while there is room, which saves the way through Redis; then others are told. */
  async offer(): Promise<void> {
    if (this.free > 0) await outsideRequest(() => this.fill());
    if (this.free === 0) await this.bells.ring();
  }

  /** Claims until the slots are full or nothing waits. */
  fill(): Promise<void> {
    return this.filling.ask();
  }

  /** Settles when a slot is free and nothing waits for it, or no more jobs are taken. */
  whenFree(): Promise<void> {
    return !this.isOpen ? Promise.resolve() : new Promise((resolve) => this.untilFree.push(resolve));
  }

  /** No job is begun any more. */
  close(): void {
    this.isOpen = false;
    this.tellFree();
  }

  async whenIdle(): Promise<void> {
    while (this.running.size + this.reserved > 0 || this.filling.isWorking) await wait(20, undefined, { ref: false });
  }

  abortAll(reason: Error): void {
    for (const { abort } of this.running.values()) abort.abort(reason);
  }

  private async claim(): Promise<void> {
    const room = this.free;
    if (room === 0) return;
    try {
      const jobs = await this.worker.ask(this.jobs.claim(room, this.runningByProject()));
      this.isBehind = jobs.length === room;
      for (const job of jobs) this.start(job);
      if (this.free === 0) return;
      // One that ended meanwhile has left room.
      if (this.isBehind) void this.fill();
      else this.tellFree();
    } catch (error) {
      this.isBehind = true;
      this.log.warn({ err: error }, 'Claiming jobs failed; the next look tries again');
    }
  }

  private start(job: ClaimedJob): void {
    const abort = new AbortController();
    this.running.set(job.claim, { job, abort });
    // A job whose end could not be written is taken back when its lease runs out.
    void this.runner
      .run(job, abort.signal)
      .catch((error: unknown) => {
        this.log.warn({ err: error, jobId: job.id }, 'A job could not be ended');
        return true;
      })
      .then((isFollowed) => {
        this.running.delete(job.claim);
        if (isFollowed || this.isBehind) void this.fill();
      });
  }

  private runningByProject(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { job } of this.running.values()) {
      const project = job.projectId ?? '';
      counts.set(project, (counts.get(project) ?? 0) + 1);
    }
    return counts;
  }

  private tellFree(): void {
    for (const resolve of this.untilFree.splice(0)) resolve();
  }
}
