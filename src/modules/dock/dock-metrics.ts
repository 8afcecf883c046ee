import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Statements } from '../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../platform/queue/worker-statements.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { ACTIONS, JOB_TYPES } from './dock-job.entity.js';
import { COUNTED_STATES, DockJobRepository } from './dock-job.repository.js';

/** What Prometheus reads of dock jobs. Asks for those under way and of the last day, however many are kept. */
@Injectable()
export class DockMetrics {
  constructor(
    metrics: Metrics,
    // Not the connections of requests: those who wait for one of these are measured too.
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

  /** Without the database there is nothing to tell, and the other measures are told all the same. */
  private async collect(gauge: Gauge<'type' | 'action' | 'state'>): Promise<void> {
    const counted = await this.statements.ask(this.dockJobs.countByState()).catch(() => null);
    gauge.reset();
    if (!counted) return;
    for (const type of JOB_TYPES) {
      for (const action of ACTIONS) for (const state of COUNTED_STATES) gauge.set({ type, action, state }, 0);
    }
    for (const { count, ...labels } of counted) gauge.set(labels, count);
  }
}
