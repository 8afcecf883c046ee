import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { repriceCalls, tidyLedger } from './ledger.jobs.js';
import { Repricings } from './prices/repricings.service.js';
import { Tidying } from './sums/tidying.service.js';

@HandlesJob(tidyLedger)
export class TidyLedger extends JobHandler<object> {
  constructor(private readonly tidying: Tidying) {
    super();
  }

  async run({ signal }: JobRun<object>): Promise<void> {
    await this.tidying.tidy(signal);
  }
}

@HandlesJob(repriceCalls)
export class RepriceCalls extends JobHandler<{ repricingId: string }> {
  constructor(private readonly repricings: Repricings) {
    super();
  }

  async run({ data, signal }: JobRun<{ repricingId: string }>): Promise<void> {
    await this.repricings.goOn(data.repricingId, signal);
  }

  override async gaveUp(tx: Transaction, { repricingId }: { repricingId: string }): Promise<void> {
    await this.repricings.gaveUp(tx, repricingId);
  }
}
