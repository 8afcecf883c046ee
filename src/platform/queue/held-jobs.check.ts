import { Settings } from '../config/settings.js';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';

/** Says only that this process is told to run no jobs. How jobs are run is seen in their metrics. */
@ChecksReadiness({ name: 'jobs', failure: 'cannot be checked', isDispensable: true })
export class HeldJobsCheck extends ReadinessCheck {
  constructor(private readonly settings: Settings) {
    super();
  }

  async check(): Promise<ReadinessFinding | null> {
    if (this.settings.JOBS !== 'held') return null;
    return { status: 'degraded', message: 'do not run, because JOBS is held' };
  }
}
