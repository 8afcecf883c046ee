import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { correctDesignTimeCalls, repriceCalls, tidyLedger } from './ledger.jobs.js';
import { Repricings } from './prices/repricings.service.js';
import { Tidying } from './rollup/tidying.service.js';
import { DesignTime } from './write/design-time.service.js';

@HandlesJob(tidyLedger)
export class TidyLedger extends JobHandler<object> {
  constructor(private readonly tidying: Tidying) {
    super();
  }

  async run({ signal }: JobRun<object>): Promise<void> {
    await this.tidying.tidy(signal);
  }
}

@HandlesJob(correctDesignTimeCalls)
export class CorrectDesignTimeCalls extends JobHandler<object> {
  constructor(private readonly designTime: DesignTime) {
    super();
  }

  async run(job: JobRun<object>): Promise<void> {
    await this.designTime.correct(job.signal, (calls) => job.report({ calls }));
  }
}

@HandlesJob(repriceCalls)
export class RepriceCalls extends JobHandler<{ repricingId: string }> {
  constructor(private readonly repricings: Repricings) {
    super();
  }

  async run({ data, signal }: JobRun<{ repricingId: string }>): Promise<void> {
    await this.repricings.run(data.repricingId, signal);
  }

  override async lock(tx: Transaction, { repricingId }: { repricingId: string }): Promise<void> {
    await this.repricings.lock(tx, repricingId);
  }

  override async onFailed(tx: Transaction, { repricingId }: { repricingId: string }): Promise<void> {
    await this.repricings.markFailed(tx, repricingId);
  }
}
