import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { Settings } from '../../../platform/config/settings.js';
import { Events } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import type { AttemptOutcome } from './callback-sender.js';
import { type DeliveryRow, type NewDelivery, pendingDelivery } from './delivery.entity.js';
import { type EndedDelivery, DeliveryRepository } from './delivery.repository.js';
import { type ProvedReceiver, ReceiverHealth } from '../subscriptions/receiver-health.js';
import type { Receiver } from '../subscriptions/subscription.entity.js';
import { CallbackDelivered, CallbackFailed } from '../webhooks.events.js';
import { deliverCallback } from '../webhooks.jobs.js';

const JITTER = 0.1;

/** Adds deliveries, and changes them by the outcomes of their attempts. All writes are in the caller's transaction. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly stored: DeliveryRepository,
    private readonly health: ReceiverHealth,
    private readonly jobs: Jobs,
    private readonly settings: Settings,
    private readonly events: Events,
  ) {}

  async add(tx: Transaction, receiver: ProvedReceiver, newDelivery: NewDelivery): Promise<DeliveryRow> {
    const at = inSeconds(delayAfter(0, this.settings.WEBHOOK_SCHEDULE, undefined)!);
    const delivery = pendingDelivery(newDelivery, at);
    await this.schedule(tx, delivery, at, receiver, [this.stored.add(delivery)]);
    return delivery;
  }

  /** Begins the schedule again, with the same body and id. */
  async replay(tx: Transaction, receiver: ProvedReceiver, delivery: DeliveryRow): Promise<void> {
    const at = inSeconds(0);
    tx.defer(this.stored.reopen(delivery.id, at));
    await this.schedule(tx, delivery, at, receiver);
  }

  /** Ends a delivery whose attempt has succeeded. Returns writes for the statement that ends the job. */
  async succeeded(
    tx: Transaction,
    delivery: DeliveryRow,
    receiver: Receiver,
    outcome: AttemptOutcome,
  ): Promise<Statement<unknown>[]> {
    // The lock is in an earlier statement, so that the writes see an erasure that has just been committed.
    tx.defer(this.stored.lock(delivery.id));
    await this.events.publish(tx, CallbackDelivered, payloadOf(delivery));
    return [...this.stored.deliver(delivery.id, outcome), ...this.health.succeeded(receiver)];
  }

  /** Logs an attempt that failed, and adds the job of the next attempt unless this was the last one. */
  async failed(
    tx: Transaction,
    delivery: DeliveryRow,
    receiver: Receiver,
    outcome: AttemptOutcome & { error: string },
  ): Promise<void> {
    const { id } = delivery;
    const counted = await tx.ask(this.stored.countFailure(id, outcome));
    if (!counted) return;
    const isDisabled = await this.health.failed(tx, receiver, outcome.isGone);
    const delay = delayAfter(counted.attemptsSinceReplay, this.settings.WEBHOOK_SCHEDULE, outcome.askedSeconds);
    if (isDisabled || delay === undefined) return this.endAsFailed(tx, id, outcome.error);
    const at = inSeconds(delay);
    tx.defer(this.stored.wait(id, at, outcome.error));
    // After a failure, the receiver has to prove again that it accepts callbacks.
    await this.schedule(tx, delivery, at, { provedAt: null });
  }

  /** Ends a delivery as FAILED, without another attempt. */
  async endAsFailed(tx: Transaction, id: DeliveryRow['id'], reason: string): Promise<void> {
    const failed = await tx.ask(this.stored.fail(id, reason));
    if (!failed) return;
    if (failed.isForgotten) tx.defer(this.stored.delete(id));
    await this.events.publish(tx, CallbackFailed, payloadOf(failed));
  }

  private async schedule(
    tx: Transaction,
    { id: deliveryId, subscriptionId: lane, projectId }: DeliveryRow,
    at: Date,
    receiver: ProvedReceiver,
    together: readonly Statement<unknown>[] = [],
  ): Promise<void> {
    const isLater = at > clock.now();
    const options = { together, lane, projectId, ...this.health.widthOf(receiver), ...(isLater && { runAt: at }) };
    await this.jobs.add(tx, deliverCallback, { deliveryId }, options);
  }
}

function payloadOf({ id: deliveryId, projectId, subscriptionId, messageId, event }: EndedDelivery): CallbackDelivered {
  return { deliveryId, projectId, subscriptionId, messageId, event };
}

function inSeconds(seconds: number): Date {
  return new Date(clock.now().getTime() + seconds * 1000);
}

/** Returns the seconds until the next attempt, or undefined after the last one. */
function delayAfter(
  attempts: number,
  schedule: readonly number[],
  askedSeconds: number | undefined,
): number | undefined {
  const planned = schedule[attempts];
  if (planned === undefined) return undefined;
  return Math.max(jittered(planned), askedSeconds ?? 0);
}

/** Varies a delay at random, so that deliveries that failed together are not tried together again. */
function jittered(seconds: number): number {
  return seconds * (1 - JITTER + 2 * JITTER * Math.random());
}
