import { Injectable } from '@nestjs/common';
import { InstallationGauges } from '../redis/installation-gauges.js';
import { defineCounter, defineGauge, defineHistogram } from '../telemetry/metric-definition.js';
import { Metrics, type MetricValues } from '../telemetry/metrics.js';
import { Bells } from './bells.js';
import { JobSummaries, type JobSummary } from './administration/job-summaries.js';
import type { Outcome } from './job-run.js';

const attempts = defineCounter('slipway_job_attempts_total', {
  help: 'Attempts at jobs that ended in this process.',
  labels: ['name', 'outcome'],
});
const durations = defineHistogram('slipway_job_attempt_seconds', {
  help: 'Seconds that attempts at jobs took in this process.',
  labels: ['name'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});
const jobs = defineGauge('slipway_jobs', {
  help: 'Jobs of the whole installation by state. Due jobs wait for a worker, late ones for over a minute, and waiting ones also for their time.',
  labels: ['name', 'queue', 'state'],
});
const oldest = defineGauge('slipway_jobs_oldest_seconds', {
  help: 'Seconds for which the longest-waiting job of each name has been due, in the whole installation.',
  labels: ['name', 'queue'],
});
const bellsUnanswered = defineGauge('slipway_job_bells_unanswered', {
  help: 'Bells in Redis that no worker has answered. The metric is missing while Redis is unavailable.',
  labels: ['queue'],
});

/**
 * Exports metrics of the jobs: counts of the whole installation from the database, and the attempts that this process
 * ran. The label is `name`, because Prometheus has a label `job` of its own.
 */
@Injectable()
export class JobMetrics {
  constructor(
    private readonly metrics: Metrics,
    gauges: InstallationGauges,
    summaries: JobSummaries,
    bells: Bells,
  ) {
    // One scrape collects both gauges, so they share one query.
    let reading: Promise<JobSummary[]> | undefined;
    const read = () => (reading ??= summaries.byName().finally(() => (reading = undefined)));
    gauges.register(jobs, async () => (await read()).flatMap(toCounts));
    gauges.register(oldest, async () =>
      (await read()).map(({ name, queue, oldestWaitingSeconds }) => [{ name, queue }, oldestWaitingSeconds]),
    );
    metrics.read(bellsUnanswered, async () => {
      const counts = await bells.unanswered();
      return [...(counts ?? [])].map(([queue, count]) => [{ queue }, count] as const);
    });
  }

  observe(name: string, outcome: Outcome, seconds: number): void {
    this.metrics.count(attempts, 1, { name, outcome });
    this.metrics.observe(durations, seconds, { name });
  }
}

function toCounts({ name, queue, ...counted }: JobSummary): MetricValues<'name' | 'queue' | 'state'> {
  const { waiting, due, running, suspended, late, failed } = counted;
  const counts = { waiting, due, running, suspended, late, failed };
  return Object.entries(counts).map(([state, count]) => [{ name, queue, state }, count]);
}
