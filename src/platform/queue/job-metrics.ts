import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { type Counted, InstallationGauges } from '../redis/installation-gauges.js';
import { Metrics } from '../telemetry/metrics.js';
import { Bells } from './bells.js';
import { JobSummaries, type JobSummary } from './administration/job-summaries.js';
import type { Outcome } from './job-run.js';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Exports metrics of the jobs: counts of the whole installation from the database, and the attempts that this process
 * ran. The label is `name`, because Prometheus has a label `job` of its own.
 */
@Injectable()
export class JobMetrics {
  private readonly outcomes: Counter<'name' | 'outcome'>;
  private readonly durations: Histogram<'name'>;

  constructor(
    metrics: Metrics,
    gauges: InstallationGauges,
    summaries: JobSummaries,
    private readonly bells: Bells,
  ) {
    const registers = [metrics];
    this.outcomes = new Counter({
      name: 'slipway_job_attempts_total',
      help: 'Attempts at jobs that ended in this process.',
      labelNames: ['name', 'outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'slipway_job_attempt_seconds',
      help: 'Seconds that attempts at jobs took in this process.',
      labelNames: ['name'],
      buckets: SECONDS,
      registers,
    });
    // One scrape collects both gauges, so they share one query.
    let reading: Promise<JobSummary[]> | undefined;
    const read = () => (reading ??= summaries.byName().finally(() => (reading = undefined)));
    gauges.register<'name' | 'queue' | 'state'>({
      name: 'slipway_jobs',
      help: 'Jobs of the whole installation by state. A late job also counts as waiting, and has been due for over a minute.',
      labelNames: ['name', 'queue', 'state'],
      count: async () => (await read()).flatMap(toCounts),
    });
    gauges.register<'name' | 'queue'>({
      name: 'slipway_jobs_oldest_seconds',
      help: 'Seconds for which the longest-waiting job of each name has been due, in the whole installation.',
      labelNames: ['name', 'queue'],
      count: async () =>
        (await read()).map(({ name, queue, oldestWaitingSeconds }) => [{ name, queue }, oldestWaitingSeconds]),
    });
    const unanswered: Gauge<'queue'> = new Gauge({
      name: 'slipway_job_bells_unanswered',
      help: 'Bells in Redis that no worker has answered. The metric is missing while Redis is unavailable.',
      labelNames: ['queue'],
      registers,
      collect: () => this.collectBells(unanswered),
    });
  }

  observe(name: string, outcome: Outcome, seconds: number): void {
    this.outcomes.inc({ name, outcome });
    this.durations.observe({ name }, seconds);
  }

  private async collectBells(gauge: Gauge<'queue'>): Promise<void> {
    const counts = await this.bells.unanswered();
    gauge.reset();
    for (const [queue, count] of counts ?? []) gauge.set({ queue }, count);
  }
}

function toCounts({ name, queue, ...counted }: JobSummary): Counted<'name' | 'queue' | 'state'> {
  const { waiting, running, suspended, late, failed } = counted;
  const counts = { waiting, running, suspended, late, failed };
  return Object.entries(counts).map(([state, count]) => [{ name, queue, state }, count]);
}
