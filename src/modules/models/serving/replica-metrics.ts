import { Inject, Injectable } from '@nestjs/common';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { InstallationGauges, toStates } from '../../../platform/redis/installation-gauges.js';
import { defineGauge } from '../../../platform/telemetry/metric-definition.js';
import { ModelHosts } from '../hosts/model-hosts.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';

const replicasGauge = defineGauge('slipway_model_replicas', {
  help: 'Replicas of models of the whole installation: those that answer, those that deployments lack, and those whose process is gone.',
  labels: ['state'],
});

/** The metrics of the replicas of deployed models. */
@Injectable()
export class ReplicaMetrics {
  constructor(
    gauges: InstallationGauges,
    // Requests do not use these connections, so that a scrape does not wait while requests wait for theirs.
    @Inject(WORKER_STATEMENTS) statements: Statements,
    replicas: ModelReplicaRepository,
    hosts: ModelHosts,
  ) {
    gauges.register(replicasGauge, () => statements.ask(replicas.countByState(hosts.fleetNames()).as(toStates)));
  }
}
