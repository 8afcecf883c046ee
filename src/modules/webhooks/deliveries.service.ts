import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Settings } from '../../platform/config/settings.js';
import { Jobs } from '../../platform/queue/jobs.js';
import type { Sent } from './callback-sender.js';
import type { Delivery, NewDelivery } from './delivery.js';
import { DeliveryStore } from './delivery-store.js';
import type { ProvedReceiver, Receiver } from './receivers.js';
import { ReceiverHealth } from './receiver-health.js';
import { delayAfter } from './schedule.js';
import { deliverCallback } from './webhooks.jobs.js';

/** Callbacks that are promised, and what becomes of them. All of it happens in the caller's transaction. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly store: DeliveryStore,
    private readonly health: ReceiverHealth,
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  async promise(em: EntityManager, receiver: ProvedReceiver, wish: NewDelivery): Promise<Delivery> {
    const at = inSeconds(delayAfter(0, this.settings.WEBHOOK_SCHEDULE, undefined)!);
    const delivery = await this.store.insert(em, wish, at);
    await this.schedule(em, delivery, at, receiver);
    return delivery;
  }

  /** Begins the schedule anew. The body and its id stay what they are. */
  async replay(em: EntityManager, receiver: ProvedReceiver, { id }: Delivery): Promise<Delivery> {
    const at = inSeconds(0);
    const delivery = await this.store.reopen(em, id, at);
    await this.schedule(em, delivery, at, receiver);
    return delivery;
  }

  /** Writes down an attempt, and promises the next one where there is to be one. */
  async record(em: EntityManager, delivery: Delivery, receiver: Receiver, sent: Sent): Promise<void> {
    const { id } = delivery;
    const tried = await this.store.writeAttempt(em, id, sent);
    if (tried === null) return;
    const { error } = sent;
    if (error === null) return this.health.succeeded(em, receiver);
    const isDisabled = await this.health.failed(em, receiver, sent.isGone);
    const delay = delayAfter(tried, this.settings.WEBHOOK_SCHEDULE, sent.askedSeconds);
    if (isDisabled || delay === undefined) return this.store.fail(em, id, error);
    const at = inSeconds(delay);
    await this.store.wait(em, id, at, error);
    // After a failure it has nothing to show any more.
    await this.schedule(em, delivery, at, { provedAt: null });
  }

  /** Without another attempt. */
  giveUp(em: EntityManager, id: Delivery['id'], reason: string): Promise<void> {
    return this.store.fail(em, id, reason);
  }

  private async schedule(
    em: EntityManager,
    { id: deliveryId, subscriptionId: lane, projectId }: Delivery,
    at: Date,
    receiver: ProvedReceiver,
  ): Promise<void> {
    const isLater = at > clock.now();
    const how = { lane, projectId, ...this.health.widthOf(receiver), ...(isLater && { runAt: at }) };
    await this.jobs.add(em, deliverCallback, { deliveryId }, how);
  }
}

function inSeconds(seconds: number): Date {
  return new Date(clock.now().getTime() + seconds * 1000);
}
