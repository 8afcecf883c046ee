import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { finishRevocation } from './access.jobs.js';

@HandlesJob(finishRevocation)
export class FinishRevocation extends JobHandler<{ keyId: string }> {
  constructor(private readonly revocations: KeyRevocations) {
    super();
  }

  async run({ data }: JobRun<{ keyId: string }>): Promise<void> {
    await this.revocations.finish([data.keyId]);
  }
}
