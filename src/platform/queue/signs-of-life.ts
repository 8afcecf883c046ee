import { Injectable } from '@nestjs/common';
import { JobLost } from './job-endings.js';
import { JobStore, LEASE_SECONDS } from './job-store.js';
import { type RunningJob, Slots } from './slots.js';

const EVERY_MS = 1_000;

/** One statement a second for all that this process runs: renews the leases, and hears what was lost or cancelled. */
@Injectable()
export class SignsOfLife {
  private timer: NodeJS.Timeout | undefined;
  private lastHeard = performance.now();
  private isAsking = false;

  constructor(
    private readonly store: JobStore,
    private readonly slots: Slots,
  ) {}

  begin(): void {
    this.timer = setInterval(() => void this.give(), EVERY_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async give(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const running = [...this.slots.running.values()];
    const asked = performance.now();
    try {
      const ours = running.length > 0 ? await this.store.giveSign(running.map(({ job }) => job)) : new Set<string>();
      this.lastHeard = asked;
      loseAll(running.filter(({ job }) => !ours.has(job.claim)));
    } catch {
      // The database is away. Once the leases have run out, others may have the jobs.
      if (asked - this.lastHeard > LEASE_SECONDS * 1000) loseAll(running);
    } finally {
      this.isAsking = false;
    }
  }
}

function loseAll(jobs: RunningJob[]): void {
  for (const { job, abort } of jobs) abort.abort(new JobLost(job));
}
