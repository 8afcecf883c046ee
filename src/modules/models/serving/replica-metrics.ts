import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';

type State = 'ready' | 'missing' | 'lost';

/** What Prometheus reads of the replicas of deployed models. */
@Injectable()
export class ReplicaMetrics {
  constructor(
    metrics: Metrics,
    // Not the connections of requests: those who wait for one of these are measured too.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
  ) {
    const replicas: Gauge<'state'> = new Gauge({
      name: 'slipway_model_replicas',
      help: 'Replicas of models of the whole installation: that answer, that deployments lack, whose process is gone',
      labelNames: ['state'],
      registers: [metrics],
      collect: () => this.collect(replicas),
    });
  }

  /** Without the database there is nothing to tell, and the other measures are told all the same. */
  private async collect(gauge: Gauge<'state'>): Promise<void> {
    const [counted] = await this.count().catch(() => []);
    gauge.reset();
    for (const [state, count] of Object.entries(counted ?? {})) gauge.set({ state }, count);
  }

  private count(): Promise<Record<State, number>[]> {
    return this.statements.run<Record<State, number>>(
      `with deployed as (
         select (d.scaling_parameters->>'minReplicas')::int as wanted,
           (select count(*)::int from model_replica r where r.deployment_id = d.id and r.lease_until > now()) as ready
         from model_deployment d where d.state in ('STARTING', 'LIVE'))
       select coalesce(sum(ready), 0)::int as ready,
         coalesce(sum(greatest(wanted - ready, 0)), 0)::int as missing,
         (select count(*)::int from model_replica where lease_until <= now()) as lost
       from deployed`,
    );
  }
}
