import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Statements } from '../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../platform/queue/worker-statements.js';
import { inScrape } from '../../platform/telemetry/in-scrape.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { ACTIONS, JOB_TYPES } from './dock-job.entity.js';
import { COUNTED_STATES, DockJobRepository } from './dock-job.repository.js';

/** The metric of dock jobs. It counts only running jobs and those of the last day, however many rows are kept. */
@Injectable()
export class DockMetrics {
  constructor(
    metrics: Metrics,
    // Requests do not use these connections, so that a scrape does not wait while requests wait for theirs.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly dockJobs: DockJobRepository,
  ) {
    const jobs: Gauge<'type' | 'action' | 'state'> = new Gauge({
      name: 'slipway_dock_jobs',
      help: 'Dock jobs of the whole installation: those under way, and those that ended within a day',
      labelNames: ['type', 'action', 'state'],
      registers: [metrics],
      collect: () => this.collect(jobs),
    });
  }

  /** Without the database, the gauge has no values, and the other metrics are still collected. */
  private async collect(gauge: Gauge<'type' | 'action' | 'state'>): Promise<void> {
    const counted = await inScrape(() => this.statements.ask(this.dockJobs.countByState()));
    gauge.reset();
    if (!counted) return;
    for (const type of JOB_TYPES) {
      for (const action of ACTIONS) for (const state of COUNTED_STATES) gauge.set({ type, action, state }, 0);
    }
    for (const { count, ...labels } of counted) gauge.set(labels, count);
  }
}
