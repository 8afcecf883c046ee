import type { EntityManager } from '@mikro-orm/postgresql';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { CallbackSender } from './callback-sender.js';
import { Deliveries } from './deliveries.service.js';
import { DeliveryStore } from './delivery-store.js';
import { Receivers } from './receivers.js';
import { ReceiverHealth } from './receiver-health.js';
import { type DeliverData, deliverCallback } from './webhooks.jobs.js';

@HandlesJob(deliverCallback)
export class DeliverCallback extends JobHandler<DeliverData> {
  constructor(
    private readonly stored: DeliveryStore,
    private readonly receivers: Receivers,
    private readonly deliveries: Deliveries,
    private readonly health: ReceiverHealth,
    private readonly sender: CallbackSender,
  ) {
    super();
  }

  async run(job: JobRun<DeliverData>): Promise<void> {
    const delivery = await this.stored.withBody(job.data.deliveryId);
    if (delivery?.status !== 'PENDING') return;
    const receiver = await this.receivers.byId(delivery.subscriptionId);
    if (!receiver) return job.finish((em) => this.deliveries.giveUp(em, delivery.id, 'The subscription was deleted'));
    if (receiver.status !== 'ACTIVE') {
      return job.finish((em) => this.deliveries.giveUp(em, delivery.id, 'The subscription is disabled'));
    }
    const waitUntil = await this.health.waitUntil(receiver);
    // It keeps its place, so that those behind it wait too.
    if (waitUntil) return job.suspend(waitUntil);
    const sent = await this.sender.send(receiver, delivery, job.signal);
    await job.finish((em) => this.deliveries.record(em, delivery, receiver, sent));
  }

  override async gaveUp(em: EntityManager, { deliveryId }: DeliverData, reason: string): Promise<void> {
    await this.deliveries.giveUp(em, deliveryId, reason);
  }
}
