import type { Id } from '../../../kernel/ids.js';
import { SYSTEM } from '../../../kernel/actor.js';
import { Database } from '../../../platform/database/database.js';
import { HandlesJob, JobHandler } from '../../../platform/queue/job-handler.js';
import type { JobRun } from '../../../platform/queue/job-run.js';
import { Deliveries } from './deliveries.service.js';
import { DeliveryRepository } from './delivery.repository.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { type ReplayFailedData, replayFailed } from '../webhooks.jobs.js';

const DELIVERIES_A_TRANSACTION = 200;

/**
 * Replays failed deliveries in several transactions. A delivery that fails again ends after `until`, so another attempt
 * at this job continues where the last one stopped.
 */
@HandlesJob(replayFailed)
export class ReplayFailed extends JobHandler<ReplayFailedData> {
  constructor(
    private readonly database: Database,
    private readonly stored: DeliveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly deliveries: Deliveries,
  ) {
    super();
  }

  async run({ data, signal }: JobRun<ReplayFailedData>): Promise<void> {
    const [since, until] = [new Date(data.since), new Date(data.until)];
    let replayed: number;
    do {
      signal.throwIfAborted();
      replayed = await this.replaySome(data.subscriptionId, since, until);
    } while (replayed === DELIVERIES_A_TRANSACTION);
  }

  private replaySome(subscriptionId: Id<'subscription'>, since: Date, until: Date): Promise<number> {
    return this.database.transaction(SYSTEM, async (tx) => {
      const [subscription, failed] = await tx.askAll([
        this.subscriptions.row(subscriptionId),
        this.stored.lockSomeFailed(subscriptionId, since, until, DELIVERIES_A_TRANSACTION),
      ]);
      const receiver = subscription ?? { provedAt: null };
      for (const delivery of failed) await this.deliveries.replay(tx, receiver, delivery);
      return failed.length;
    });
  }
}
