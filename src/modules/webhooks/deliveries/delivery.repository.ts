import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../../kernel/page.js';
import { columnsOf, newRow, selectedRow, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { type Receiver, Subscription } from '../subscriptions/subscription.entity.js';
import { Attempt, type AttemptRow } from './attempt.entity.js';
import { Delivery, type DeliveryRow, type DeliveryStatus, type DeliveryWithBody } from './delivery.entity.js';

/** Neither is the name of a delivery's column. */
const OF_RECEIVER = [
  'callbackUrl',
  'secretSealed',
  'previousSecretSealed',
  'previousSecretUntil',
  'failures',
  'provedAt',
] as const;

/** Status events of one message are a handful; a turn that is suspended again and again has more. */
const MOST_OF_A_MESSAGE = 100;

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

  /** With whom it is sent to; null where the subscription is gone. */
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
              order by id limit ${MOST_OF_A_MESSAGE}`,
    );
  }

  newestFirst(
    subscriptionId: Id<'subscription'>,
    status: DeliveryStatus | undefined,
    { cursor, limit }: PageRequest,
  ): Statement<Page<DeliveryRow>> {
    const wanted = status === undefined ? raw('true') : sql`status = ${status}`;
    const before = cursor === undefined ? raw('true') : sql`id < ${cursor}`;
    return rows<DeliveryRow>(
      sql`select ${columnsOf(Delivery)} from webhook_delivery
          where subscription_id = ${subscriptionId} and ${wanted} and ${before} order by id desc limit ${limit + 1}`,
    ).as((found) => cutPage(found, limit));
  }

  /** Counts those that were given up in that time. */
  countFailed(subscriptionId: Id<'subscription'>, since: Date, until: Date): Statement<number> {
    return theRow<{ count: number }>(
      sql`select count(*)::integer as count from webhook_delivery where ${failedWithin(subscriptionId, since, until)}`,
    ).as(({ count }) => count);
  }

  /** Holds some of those until the commit; whoever another transaction holds is left to it. */
  holdSomeFailed(
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

  /** Until the commit it neither goes on nor ends otherwise. */
  lock(deliveryId: Id<'delivery'>): Statement<DeliveryRow | null> {
    return row<DeliveryRow>(
      sql`select ${columnsOf(Delivery)} from webhook_delivery where id = ${deliveryId} for update`,
    );
  }

  /** It is tried again as if it were new. */
  reopen(deliveryId: Id<'delivery'>, nextAttemptAt: Date): Statement<void> {
    return write(
      sql`update webhook_delivery set status = 'PENDING', attempts_since_replay = 0, ended_at = null, last_error = null,
            next_attempt_at = ${nextAttemptAt} where id = ${deliveryId}`,
    );
  }

  /**
   * Ends a delivery with the attempt that succeeded, where it has not ended already; a forgotten one goes. These are
   * writes for one statement: each reads the delivery as it was before.
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

  /** Counts and logs an attempt that failed. Answers with nothing where the delivery had ended already. */
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

  /** Answers with nothing where it had ended already. */
  fail(deliveryId: Id<'delivery'>, error: string): Statement<Pick<DeliveryRow, 'isForgotten'> | null> {
    return row<Pick<DeliveryRow, 'isForgotten'>>(
      sql`update webhook_delivery set ${ended('FAILED', error)} where id = ${deliveryId} and status = 'PENDING'
          returning ${someColumnsOf(Delivery, ['isForgotten'])}`,
    );
  }

  delete(deliveryId: Id<'delivery'>): Statement<void> {
    return write(sql`delete from webhook_delivery where id = ${deliveryId}`);
  }

  /** Those that are still promised go when they end. */
  forgetPromised(messageIds: readonly Id<'message'>[]): Statement<void> {
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

/** The attempt after those that the delivery counts already. */
function logged({ at, status, latencyMs, error, answer }: LoggedAttempt): Sql {
  const number = raw('attempts + 1');
  return selectedRow(Attempt, { deliveryId: raw('id'), number, at, status, latencyMs, error, answer });
}

function ended(status: Exclude<DeliveryStatus, 'PENDING'>, error: string | null): Sql {
  return sql`status = ${status}, last_error = ${error}, next_attempt_at = null, ended_at = ${clock.now()}`;
}

function failedWithin(subscriptionId: Id<'subscription'>, since: Date, until: Date): Sql {
  return sql`subscription_id = ${subscriptionId} and status = 'FAILED' and ended_at between ${since} and ${until}`;
}
