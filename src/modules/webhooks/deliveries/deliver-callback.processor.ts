import type { Transaction } from '../../../platform/database/transaction.js';
import { Database } from '../../../platform/database/database.js';
import { HandlesJob, JobHandler } from '../../../platform/queue/job-handler.js';
import type { JobRun } from '../../../platform/queue/job-run.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackSender } from './callback-sender.js';
import { Deliveries } from './deliveries.service.js';
import { DeliveryRepository } from './delivery.repository.js';
import { ReceiverHealth } from '../subscriptions/receiver-health.js';
import { isActive } from '../subscriptions/subscription.entity.js';
import { type DeliverData, deliverCallback } from '../webhooks.jobs.js';

@HandlesJob(deliverCallback)
export class DeliverCallback extends JobHandler<DeliverData> {
  constructor(
    private readonly database: Database,
    private readonly stored: DeliveryRepository,
    private readonly deliveries: Deliveries,
    private readonly health: ReceiverHealth,
    private readonly sender: CallbackSender,
    private readonly metrics: CallbackMetrics,
  ) {
    super();
  }

  async run(job: JobRun<DeliverData>): Promise<void> {
    const { deliveryId } = job.data;
    const found = await this.database.ask(this.stored.toSend(deliveryId));
    if (found?.delivery.status !== 'PENDING') return;
    const { delivery, receiver } = found;
    if (!receiver)
      return job.finish((tx) => this.deliveries.endAsFailed(tx, delivery.id, 'The subscription was deleted'));
    if (!isActive(receiver)) {
      return job.finish((tx) => this.deliveries.endAsFailed(tx, delivery.id, 'The subscription is disabled'));
    }
    const waitUntil = await this.health.waitUntil(receiver);
    // A suspended job keeps its place in the lane, so that the jobs behind it wait as well.
    if (waitUntil) return job.suspend(waitUntil);
    const outcome = await this.sender.send(receiver, delivery, job.signal);
    const { error } = outcome;
    if (error === null) {
      await job.finishWith((tx) => this.deliveries.succeeded(tx, delivery, receiver, outcome));
      return this.metrics.delivered(delivery);
    }
    await job.finish((tx) => this.deliveries.failed(tx, delivery, receiver, { ...outcome, error }));
  }

  override async lock(tx: Transaction, { deliveryId }: DeliverData): Promise<void> {
    await tx.ask(this.stored.lock(deliveryId));
  }

  override async onFailed(tx: Transaction, { deliveryId }: DeliverData, reason: string): Promise<void> {
    await this.deliveries.endAsFailed(tx, deliveryId, reason);
  }
}
