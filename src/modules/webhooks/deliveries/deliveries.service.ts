import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { Settings } from '../../../platform/config/settings.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import type { Sent } from './callback-sender.js';
import { type DeliveryRow, type NewDelivery, pendingDelivery } from './delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';
import { type ProvedReceiver, ReceiverHealth } from '../subscriptions/receiver-health.js';
import type { Receiver } from '../subscriptions/subscription.entity.js';
import { deliverCallback } from '../webhooks.jobs.js';

const JITTER = 0.1;

/** Callbacks that are promised, and what becomes of them. All of it happens in the caller's transaction. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly stored: DeliveryRepository,
    private readonly health: ReceiverHealth,
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  async promise(tx: Transaction, receiver: ProvedReceiver, wish: NewDelivery): Promise<DeliveryRow> {
    const at = inSeconds(delayAfter(0, this.settings.WEBHOOK_SCHEDULE, undefined)!);
    const delivery = pendingDelivery(wish, at);
    await this.schedule(tx, delivery, at, receiver, [this.stored.add(delivery)]);
    return delivery;
  }

  /** Begins the schedule anew. The body and its id stay what they are. */
  async replay(tx: Transaction, receiver: ProvedReceiver, delivery: DeliveryRow): Promise<void> {
    const at = inSeconds(0);
    tx.defer(this.stored.reopen(delivery.id, at));
    await this.schedule(tx, delivery, at, receiver);
  }

  /** Ends the delivery with the attempt that succeeded; answers with writes that go with the end of its job. */
  succeeded(tx: Transaction, { id }: DeliveryRow, receiver: Receiver, sent: Sent): Statement<unknown>[] {
    // So that the writes, in a later statement, see whether it is being forgotten at this moment.
    tx.defer(this.stored.lock(id));
    return [...this.stored.deliver(id, sent), ...this.health.succeeded(receiver)];
  }

  /** Writes down an attempt that failed, and promises the next one where there is to be one. */
  async failed(
    tx: Transaction,
    delivery: DeliveryRow,
    receiver: Receiver,
    sent: Sent & { error: string },
  ): Promise<void> {
    const { id } = delivery;
    const tried = await tx.ask(this.stored.countFailure(id, sent));
    if (!tried) return;
    const isDisabled = await this.health.failed(tx, receiver, sent.isGone);
    const delay = delayAfter(tried.attemptsSinceReplay, this.settings.WEBHOOK_SCHEDULE, sent.askedSeconds);
    if (isDisabled || delay === undefined) return this.giveUp(tx, id, sent.error);
    const at = inSeconds(delay);
    tx.defer(this.stored.wait(id, at, sent.error));
    // After a failure it has nothing to show any more.
    await this.schedule(tx, delivery, at, { provedAt: null });
  }

  /** Without another attempt. */
  async giveUp(tx: Transaction, id: DeliveryRow['id'], reason: string): Promise<void> {
    const failed = await tx.ask(this.stored.fail(id, reason));
    if (failed?.isForgotten) tx.defer(this.stored.delete(id));
  }

  private async schedule(
    tx: Transaction,
    { id: deliveryId, subscriptionId: lane, projectId }: DeliveryRow,
    at: Date,
    receiver: ProvedReceiver,
    together: readonly Statement<unknown>[] = [],
  ): Promise<void> {
    const isLater = at > clock.now();
    const how = { together, lane, projectId, ...this.health.widthOf(receiver), ...(isLater && { runAt: at }) };
    await this.jobs.add(tx, deliverCallback, { deliveryId }, how);
  }
}

function inSeconds(seconds: number): Date {
  return new Date(clock.now().getTime() + seconds * 1000);
}

/** Seconds until the next attempt, given how many there have been; nothing after the last. */
function delayAfter(
  attempts: number,
  schedule: readonly number[],
  askedSeconds: number | undefined,
): number | undefined {
  const planned = schedule[attempts];
  if (planned === undefined) return undefined;
  return Math.max(jittered(planned), askedSeconds ?? 0);
}

/** What failed together is not tried together again. */
function jittered(seconds: number): number {
  return seconds * (1 - JITTER + 2 * JITTER * Math.random());
}
