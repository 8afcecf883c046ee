import { Inject, Injectable } from '@nestjs/common';
import { Statements } from '../database/statements.js';
import { JobLost } from './job-endings.js';
import { JobRepository } from './job.repository.js';
import { LeaseNotRenewed } from './job-runner.js';
import { LEASE_SECONDS } from './lease.js';
import { Slots } from './slots.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

const EVERY_MS = 1_000;

/**
 * Finds out once a second, with one statement, which claims of this process are still valid, and so which jobs were
 * lost or cancelled. The statement renews the leases that were renewed more than five seconds ago.
 */
@Injectable()
export class Heartbeat {
  private timer: NodeJS.Timeout | undefined;
  private lastRenewed = performance.now();
  private isBeating = false;

  constructor(
    private readonly jobs: JobRepository,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    private readonly slots: Slots,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.beat(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    const running = [...this.slots.running.values()];
    const asked = performance.now();
    try {
      const jobs = running.map(({ job }) => job);
      const ours = jobs.length > 0 ? await this.worker.ask(this.jobs.renewLeases(jobs)) : new Set<string>();
      this.lastRenewed = asked;
      for (const { job, abort } of running) if (!ours.has(job.claim)) abort.abort(new JobLost(job));
    } catch {
      // The database is unavailable. Once the leases have run out, other workers may claim the jobs.
      if (asked - this.lastRenewed <= LEASE_SECONDS * 1000) return;
      for (const { abort } of running) abort.abort(new LeaseNotRenewed());
    } finally {
      this.isBeating = false;
    }
  }
}
