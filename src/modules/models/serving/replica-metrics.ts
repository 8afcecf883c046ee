import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { inScrape } from '../../../platform/telemetry/in-scrape.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';

/** The metrics of the replicas of deployed models. */
@Injectable()
export class ReplicaMetrics {
  constructor(
    metrics: Metrics,
    // Requests do not use these connections, so that a scrape does not wait while requests wait for theirs.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly replicas: ModelReplicaRepository,
  ) {
    const gauge: Gauge<'state'> = new Gauge({
      name: 'slipway_model_replicas',
      help: 'Replicas of models of the whole installation: that answer, that deployments lack, whose process is gone',
      labelNames: ['state'],
      registers: [metrics],
      collect: () => this.collect(gauge),
    });
  }

  /** Without the database, the gauge has no values, and the other metrics are still collected. */
  private async collect(gauge: Gauge<'state'>): Promise<void> {
    const counted = await inScrape(() => this.statements.ask(this.replicas.countByState()));
    gauge.reset();
    for (const [state, count] of Object.entries(counted ?? {})) gauge.set({ state }, count);
  }
}
