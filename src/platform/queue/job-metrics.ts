import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { inScrape } from '../telemetry/in-scrape.js';
import { Metrics } from '../telemetry/metrics.js';
import { Bells } from './bells.js';
import { JobSummaries } from './administration/job-summaries.js';
import type { Outcome } from './job-run.js';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Exports metrics of the jobs: counts of the whole installation from the database, and the attempts that this process
 * ran.
 */
@Injectable()
export class JobMetrics {
  private readonly outcomes: Counter<'job' | 'outcome'>;
  private readonly durations: Histogram<'job'>;
  private readonly oldest: Gauge<'job'>;

  constructor(
    metrics: Metrics,
    private readonly summaries: JobSummaries,
    private readonly bells: Bells,
  ) {
    const registers = [metrics];
    this.outcomes = new Counter({
      name: 'slipway_job_attempts_total',
      help: 'Attempts at jobs that ended in this process',
      labelNames: ['job', 'outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'slipway_job_attempt_seconds',
      help: 'How long attempts at jobs took in this process',
      labelNames: ['job'],
      buckets: SECONDS,
      registers,
    });
    const jobs: Gauge<'job' | 'state'> = new Gauge({
      name: 'slipway_jobs',
      help: 'Jobs of the whole installation; late ones wait too, and have for over a minute past their time',
      labelNames: ['job', 'state'],
      registers,
      collect: () => this.collectJobs(jobs),
    });
    this.oldest = new Gauge({
      name: 'slipway_jobs_oldest_seconds',
      help: 'How long the job of each name that has waited longest is past its time, of the whole installation',
      labelNames: ['job'],
      registers,
    });
    const unanswered: Gauge = new Gauge({
      name: 'slipway_job_bells_unanswered',
      help: 'Bells in Redis that no worker has answered; none is told while Redis is away',
      registers,
      collect: () => this.collectBells(unanswered),
    });
  }

  observe(job: string, outcome: Outcome, seconds: number): void {
    this.outcomes.inc({ job, outcome });
    this.durations.observe({ job }, seconds);
  }

  /** Exports no counts while the database is unavailable, so that the other metrics can still be read. */
  private async collectJobs(gauge: Gauge<'job' | 'state'>): Promise<void> {
    const summaries = (await inScrape(() => this.summaries.read())) ?? [];
    gauge.reset();
    this.oldest.reset();
    for (const { name, waiting, running, suspended, late, failed, oldestWaitingSeconds } of summaries) {
      this.oldest.set({ job: name }, oldestWaitingSeconds);
      for (const [state, count] of Object.entries({ waiting, running, suspended, late, failed })) {
        gauge.set({ job: name, state }, count);
      }
    }
  }

  private async collectBells(gauge: Gauge): Promise<void> {
    const count = await this.bells.unanswered();
    if (count === null) gauge.remove();
    else gauge.set(count);
  }
}
