import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { expireUploads } from './files.jobs.js';
import { UploadsService } from './uploads.service.js';

@HandlesJob(expireUploads)
export class ExpireUploads extends JobHandler<object> {
  constructor(private readonly uploads: UploadsService) {
    super();
  }

  async run({ signal }: JobRun<object>): Promise<void> {
    while (!signal.aborted && (await this.uploads.expireSome()));
  }
}
