import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow, selectedRow, someColumnsOf } from '../../../platform/database/columns.js';
import { join, planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { andInRange, type ListRange } from '../../../platform/list/list-range.js';
import { type Receiver, Subscription, type WebhookEvent } from '../subscriptions/subscription.entity.js';
import { Attempt, type AttemptRow } from './attempt.entity.js';
import { Delivery, type DeliveryRow, type DeliveryStatus, type DeliveryWithBody } from './delivery.entity.js';

/** The members of a receiver that a delivery does not have, so that one row can have both. */
const OF_RECEIVER = [
  'callbackUrl',
  'secretSealed',
  'previousSecretSealed',
  'previousSecretUntil',
  'failures',
  'provedAt',
] as const;

/** The members of a delivery that its end needs. */
const OF_ENDED = ['id', 'projectId', 'subscriptionId', 'messageId', 'event', 'isForgotten'] as const;

/** A message has a handful of deliveries, but a turn that is suspended again and again has many. */
const SHOWN_OF_A_MESSAGE = 100;

export type EndedDelivery = Pick<DeliveryRow, (typeof OF_ENDED)[number]>;
export type LoggedAttempt = Omit<AttemptRow, 'deliveryId' | 'number'>;

export class DeliveryRepository extends EntityRepository<Delivery> {
  add(delivery: DeliveryWithBody): Statement<void> {
    return write(planned`insert into webhook_delivery ${newRow(Delivery, delivery)}`);
  }

  withBody(deliveryId: Id<'delivery'>): Statement<DeliveryWithBody | null> {
    return row<DeliveryWithBody>(
      planned`select ${columnsOf(Delivery)}, body from webhook_delivery where id = ${deliveryId}`,
    );
  }

  /** Returns a delivery with its receiver, which is null if the subscription is gone. */
  toSend(deliveryId: Id<'delivery'>): Statement<{ delivery: DeliveryWithBody; receiver: Receiver | null } | null> {
    return row<DeliveryWithBody & Omit<Receiver, 'id' | 'status'> & { receiverStatus: Receiver['status'] | null }>(
      planned`select ${columnsOf(Delivery, 'd')}, d.body, ${someColumnsOf(Subscription, OF_RECEIVER, 's')},
                s.status as "receiverStatus"
              from webhook_delivery d left join webhook_subscription s on s.id = d.subscription_id
              where d.id = ${deliveryId}`,
    ).as((found) => {
      if (!found) return null;
      const { receiverStatus: status, subscriptionId: id } = found;
      return { delivery: found, receiver: status && { ...found, id, status } };
    });
  }

  ofMessage(messageId: Id<'message'>): Statement<DeliveryRow[]> {
    return rows<DeliveryRow>(
      planned`select ${columnsOf(Delivery)} from webhook_delivery where message_id = ${messageId}
              order by id limit ${SHOWN_OF_A_MESSAGE}`,
    );
  }

  ofSubscription(
    subscriptionId: Id<'subscription'>,
    { status, event }: { status?: DeliveryStatus | undefined; event?: WebhookEvent | undefined },
    range: ListRange,
  ): Statement<DeliveryRow[]> {
    const conditions = [sql`subscription_id = ${subscriptionId}`];
    if (status !== undefined) conditions.push(sql`status = ${status}`);
    if (event !== undefined) conditions.push(sql`event = ${event}`);
    return rows<DeliveryRow>(
      sql`select ${columnsOf(Delivery)} from webhook_delivery
          where ${join(conditions, ' and ')} ${andInRange('id', range)}`,
    );
  }

  /** Counts the deliveries that failed in a time. */
  countFailed(subscriptionId: Id<'subscription'>, since: Date, until: Date): Statement<number> {
    return theRow<{ count: number }>(
      sql`select count(*)::integer as count from webhook_delivery where ${failedWithin(subscriptionId, since, until)}`,
    ).as(({ count }) => count);
  }

  /** Locks some deliveries that failed in a time. Rows that another transaction has locked are skipped. */
  lockSomeFailed(
    subscriptionId: Id<'subscription'>,
    since: Date,
    until: Date,
    limit: number,
  ): Statement<DeliveryRow[]> {
    return rows<DeliveryRow>(
      sql`select ${columnsOf(Delivery)} from webhook_delivery where ${failedWithin(subscriptionId, since, until)}
          order by ended_at, id limit ${limit} for update skip locked`,
    );
  }

  /** Locks a delivery, so that no other transaction changes it until the commit. */
  lock(deliveryId: Id<'delivery'>): Statement<DeliveryRow | null> {
    return row<DeliveryRow>(
      sql`select ${columnsOf(Delivery)} from webhook_delivery where id = ${deliveryId} for update`,
    );
  }

  /** Makes a delivery pending again, with all attempts of the schedule. */
  reopen(deliveryId: Id<'delivery'>, nextAttemptAt: Date): Statement<void> {
    return write(
      sql`update webhook_delivery set status = 'PENDING', attempts_since_replay = 0, ended_at = null, last_error = null,
            next_attempt_at = ${nextAttemptAt} where id = ${deliveryId}`,
    );
  }

  /**
   * Ends a pending delivery whose attempt has succeeded, and deletes a forgotten one. The writes are for one statement,
   * in which each of them sees the delivery as it was before.
   */
  deliver(deliveryId: Id<'delivery'>, attempt: LoggedAttempt): Statement<void>[] {
    const isPending = sql`id = ${deliveryId} and status = 'PENDING'`;
    return [
      write(sql`insert into webhook_attempt ${logged(attempt)} from webhook_delivery
                where ${isPending} and not is_forgotten`),
      write(sql`update webhook_delivery set ${ONE_MORE_ATTEMPT}, ${ended('DELIVERED', null)}
                where ${isPending} and not is_forgotten`),
      write(sql`delete from webhook_delivery where ${isPending} and is_forgotten`),
    ];
  }

  /** Counts and logs an attempt that failed. Returns null if the delivery had already ended. */
  countFailure(
    deliveryId: Id<'delivery'>,
    attempt: LoggedAttempt,
  ): Statement<Pick<DeliveryRow, 'attemptsSinceReplay'> | null> {
    return row<Pick<DeliveryRow, 'attemptsSinceReplay'>>(
      planned`
      with pending as (
        select id, attempts from webhook_delivery where id = ${deliveryId} and status = 'PENDING' for no key update),
      tried as (
        update webhook_delivery set ${ONE_MORE_ATTEMPT} from pending where webhook_delivery.id = pending.id
        returning attempts_since_replay),
      logged as (insert into webhook_attempt ${logged(attempt)} from pending)
      select ${someColumnsOf(Delivery, ['attemptsSinceReplay'])} from tried`,
    );
  }

  wait(deliveryId: Id<'delivery'>, nextAttemptAt: Date, error: string): Statement<void> {
    return write(
      sql`update webhook_delivery set next_attempt_at = ${nextAttemptAt}, last_error = ${error} where id = ${deliveryId}`,
    );
  }

  /** Ends a pending delivery as FAILED. Returns null if it had already ended. */
  fail(deliveryId: Id<'delivery'>, error: string): Statement<EndedDelivery | null> {
    return row<EndedDelivery>(
      sql`update webhook_delivery set ${ended('FAILED', error)} where id = ${deliveryId} and status = 'PENDING'
          returning ${someColumnsOf(Delivery, OF_ENDED)}`,
    );
  }

  delete(deliveryId: Id<'delivery'>): Statement<void> {
    return write(sql`delete from webhook_delivery where id = ${deliveryId}`);
  }

  /** Marks pending deliveries of erased messages, which are then deleted when they end. */
  forgetPending(messageIds: readonly Id<'message'>[]): Statement<void> {
    return write(
      sql`update webhook_delivery set is_forgotten = true where message_id = any(${messageIds}) and status = 'PENDING'`,
    );
  }

  deleteOthers(messageIds: readonly Id<'message'>[]): Statement<void> {
    return write(sql`delete from webhook_delivery where message_id = any(${messageIds}) and not is_forgotten`);
  }
}

const ONE_MORE_ATTEMPT = raw(
  'attempts = webhook_delivery.attempts + 1, attempts_since_replay = attempts_since_replay + 1',
);

/** Returns the row of an attempt. Its number follows the attempts that the delivery has counted. */
function logged({ at, url, status, latencyMs, error, answer }: LoggedAttempt): Sql {
  const number = raw('attempts + 1');
  return selectedRow(Attempt, { deliveryId: raw('id'), number, at, url, status, latencyMs, error, answer });
}

function ended(status: Exclude<DeliveryStatus, 'PENDING'>, error: string | null): Sql {
  return sql`status = ${status}, last_error = ${error}, next_attempt_at = null, ended_at = ${clock.now()}`;
}

function failedWithin(subscriptionId: Id<'subscription'>, since: Date, until: Date): Sql {
  return sql`subscription_id = ${subscriptionId} and status = 'FAILED' and ended_at between ${since} and ${until}`;
}
