import type { EntityManager } from '@mikro-orm/postgresql';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { CallbackSender } from './callback-sender.js';
import { Deliveries } from './deliveries.service.js';
import { DeliveryRepository } from './delivery.repository.js';
import { ReceiverHealth } from './receiver-health.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { type DeliverData, deliverCallback } from './webhooks.jobs.js';

@HandlesJob(deliverCallback)
export class DeliverCallback extends JobHandler<DeliverData> {
  constructor(
    private readonly stored: DeliveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly deliveries: Deliveries,
    private readonly health: ReceiverHealth,
    private readonly sender: CallbackSender,
  ) {
    super();
  }

  async run(job: JobRun<DeliverData>): Promise<void> {
    const delivery = await this.stored.withBody(job.data.deliveryId);
    if (!delivery?.isPending) return;
    const subscription = await this.subscriptions.byId(delivery.subscriptionId);
    if (!subscription)
      return job.finish((em) => this.deliveries.giveUp(em, delivery.id, 'The subscription was deleted'));
    if (!subscription.isActive) {
      return job.finish((em) => this.deliveries.giveUp(em, delivery.id, 'The subscription is disabled'));
    }
    const waitUntil = await this.health.waitUntil(subscription);
    // It keeps its place, so that those behind it wait too.
    if (waitUntil) return job.suspend(waitUntil);
    const sent = await this.sender.send(subscription, delivery, job.signal);
    await job.finish((em) => this.deliveries.record(em, delivery, subscription, sent));
  }

  override async gaveUp(em: EntityManager, { deliveryId }: DeliverData, reason: string): Promise<void> {
    await this.deliveries.giveUp(em, deliveryId, reason);
  }
}
