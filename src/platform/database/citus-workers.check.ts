import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { CitusWorkers } from './citus-workers.js';

/** A worker that is down leaves the process ready, because the projects of other workers go on. */
@ChecksReadiness({ name: 'citus', failure: 'does not say whether its workers answer', isDispensable: true })
export class CitusWorkersCheck extends ReadinessCheck {
  constructor(private readonly workers: CitusWorkers) {
    super();
  }

  async check(): Promise<ReadinessFinding | null> {
    const all = await this.workers.all();
    if (all.length === 0) return null;
    const away = all.filter(({ isUp }) => !isUp);
    if (away.length === 0) return { status: 'up' };
    // Everyone can read this, and an address is for the log and the metrics alone.
    const groups = away.map(({ groupId }) => groupId).join(', ');
    return {
      status: 'degraded',
      message: `${away.length} of ${all.length} workers of the Citus cluster do not answer (groupid ${groups} in pg_dist_node), so what needs the ledger of their projects is answered 503: start them, or check their network`,
    };
  }
}
