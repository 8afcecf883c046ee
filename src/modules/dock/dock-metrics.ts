import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Statements } from '../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../platform/queue/worker-statements.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { ACTIONS, type DockAction, type DockJobType, JOB_TYPES } from './dock-job.entity.js';

const STATES = ['waiting', 'running', 'succeeded', 'failed'] as const;
type State = (typeof STATES)[number];

interface Counted {
  type: DockJobType;
  action: DockAction;
  state: State;
  count: number;
}

/** What Prometheus reads of dock jobs. Asks for those under way and of the last day, however many are kept. */
@Injectable()
export class DockMetrics {
  constructor(
    metrics: Metrics,
    // Not the connections of requests: those who wait for one of these are measured too.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
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
    const counted = await this.count().catch(() => null);
    gauge.reset();
    if (!counted) return;
    for (const type of JOB_TYPES) {
      for (const action of ACTIONS) for (const state of STATES) gauge.set({ type, action, state }, 0);
    }
    for (const { count, ...labels } of counted) gauge.set(labels, count);
  }

  private count(): Promise<Counted[]> {
    return this.statements.run<Counted>(
      `select job_type as type, action, state, count(*)::int as count from (
         select job_type, action, case when started_at is null then 'waiting' else 'running' end as state
         from dock_job where status = 'IN_PROGRESS'
         union all
         select job_type, action, case status when 'SUCCESS' then 'succeeded' else 'failed' end
         from dock_job where finished_at > now() - interval '1 day') as counted
       group by job_type, action, state`,
    );
  }
}
