import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Settings } from '../../platform/config/settings.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { AttemptLog } from './attempt-log.js';
import type { Sent } from './callback-sender.js';
import { Delivery, type NewDelivery } from './delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';
import { ReceiverHealth } from './receiver-health.js';
import { delayAfter } from './schedule.js';
import { SubscriptionRepository } from './subscription.repository.js';
import type { Subscription } from './subscription.entity.js';
import { deliverCallback } from './webhooks.jobs.js';

/** Callbacks that are promised, and what becomes of them. All of it happens in the caller's transaction. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly attempts: AttemptLog,
    private readonly health: ReceiverHealth,
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  async promise(em: EntityManager, wish: NewDelivery): Promise<Delivery> {
    const delivery = new Delivery(wish);
    em.persist(delivery);
    await this.schedule(em, delivery, delayAfter(0, this.settings.WEBHOOK_SCHEDULE, undefined)!);
    return delivery;
  }

  /** Begins the schedule anew. The body and its id stay what they are. */
  async replay(em: EntityManager, delivery: Delivery): Promise<void> {
    delivery.reopen();
    await this.schedule(em, delivery, 0);
  }

  /** Writes down an attempt, and promises the next one where there is to be one. */
  async record(em: EntityManager, { id }: Delivery, subscription: Subscription, sent: Sent): Promise<void> {
    const delivery = await this.deliveries.lock(id);
    if (!delivery?.isPending) return;
    const { error } = sent;
    await this.attempts.write(em, id, { ...sent, number: delivery.countAttempt() });
    if (error === null) {
      delivery.arrive();
      forgetEnded(em, delivery);
      return this.health.succeeded(em, subscription);
    }
    const isDisabled = await this.health.failed(em, subscription, sent.isGone);
    const delay = delayAfter(delivery.attemptsSinceReplay, this.settings.WEBHOOK_SCHEDULE, sent.askedSeconds);
    if (isDisabled || delay === undefined) delivery.fail(error);
    else await this.schedule(em, delivery, delay, error);
    forgetEnded(em, delivery);
  }

  /** Without another attempt. */
  async giveUp(em: EntityManager, id: Delivery['id'], reason: string): Promise<void> {
    const delivery = await this.deliveries.lock(id);
    if (!delivery?.isPending) return;
    delivery.fail(reason);
    forgetEnded(em, delivery);
  }

  private async schedule(em: EntityManager, delivery: Delivery, seconds: number, error: string | null = null) {
    const { id: deliveryId, subscriptionId: lane, projectId } = delivery;
    const at = new Date(clock.now().getTime() + seconds * 1000);
    delivery.waitUntil(at, error);
    // Whoever promises has it at hand; after a failure it has nothing to show any more.
    const subscription = error === null ? await this.subscriptions.byId(lane) : null;
    const how = { lane, projectId, ...this.health.widthOf(subscription), ...(seconds > 0 && { runAt: at }) };
    await this.jobs.add(em, deliverCallback, { deliveryId }, how);
  }
}

/** What it says was a user's who has been erased meanwhile. */
function forgetEnded(em: EntityManager, delivery: Delivery): void {
  if (delivery.isForgotten && !delivery.isPending) em.remove(delivery);
}
