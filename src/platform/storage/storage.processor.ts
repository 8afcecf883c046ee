import { HandlesJob, JobHandler } from '../queue/job-handler.js';
import type { JobRun } from '../queue/job-run.js';
import { sweepStorage } from './storage.jobs.js';
import { StoredObjects } from './stored-objects.js';

@HandlesJob(sweepStorage)
export class SweepStorage extends JobHandler<object> {
  constructor(private readonly objects: StoredObjects) {
    super();
  }

  async run(job: JobRun<object>): Promise<void> {
    await job.report({ removed: await this.objects.sweep(job.signal) });
  }
}
