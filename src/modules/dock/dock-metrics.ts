import { Inject, Injectable } from '@nestjs/common';
import { Statements } from '../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../platform/queue/worker-statements.js';
import { InstallationGauges } from '../../platform/redis/installation-gauges.js';
import { defineGauge } from '../../platform/telemetry/metric-definition.js';
import { ACTIONS, JOB_TYPES } from './dock-job.entity.js';
import { COUNTED_STATES, DockJobRepository } from './dock-job.repository.js';

const dockJobsGauge = defineGauge('slipway_dock_jobs', {
  help: 'Dock jobs of the whole installation: those in progress, and those that ended within the last day.',
  labels: ['type', 'action', 'state'],
});

/** The metric of dock jobs. It counts only running jobs and those of the last day, however many rows are kept. */
@Injectable()
export class DockMetrics {
  constructor(
    gauges: InstallationGauges,
    // Requests do not use these connections, so that a scrape does not wait while requests wait for theirs.
    @Inject(WORKER_STATEMENTS) statements: Statements,
    dockJobs: DockJobRepository,
  ) {
    gauges.register(dockJobsGauge, async () => {
      const counted = await statements.ask(dockJobs.countByState());
      return [...NONE, ...counted.map(({ count, ...labels }) => [labels, count] as const)];
    });
  }
}

/** Every combination, so that one without jobs is reported as zero. */
const NONE = JOB_TYPES.flatMap((type) =>
  ACTIONS.flatMap((action) => COUNTED_STATES.map((state) => [{ type, action, state }, 0] as const)),
);
