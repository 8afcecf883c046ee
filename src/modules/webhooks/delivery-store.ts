import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import { columns, planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { Attempt } from './attempt-log.js';
import type { Delivery, DeliveryStatus, DeliveryWithBody, NewDelivery } from './delivery.js';

/** Status events of one message are a handful; a turn that is suspended again and again has more. */
const MOST_OF_A_MESSAGE = 100;

const DELIVERY = columns<Delivery>({
  id: 'id',
  projectId: 'project_id',
  subscriptionId: 'subscription_id',
  messageId: 'message_id',
  eventId: 'event_id',
  event: 'event',
  status: 'status',
  attempts: 'attempts',
  nextAttemptAt: 'next_attempt_at',
  lastError: 'last_error',
  createdAt: 'created_at',
  endedAt: 'ended_at',
});

interface Ended {
  /** What it says was a user's who has been erased meanwhile: it was kept for as long as it was promised. */
  isForgotten: boolean;
}

/** The statements behind deliveries. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly statements: Statements) {}

  async insert(em: EntityManager, wish: NewDelivery, nextAttemptAt: Date): Promise<Delivery> {
    const { body, ...known } = wish;
    const promised = { attempts: 0, nextAttemptAt, lastError: null, createdAt: clock.now(), endedAt: null };
    const delivery: Delivery = { id: newId('delivery'), ...known, status: 'PENDING', ...promised };
    const { id, projectId, subscriptionId, messageId, eventId, event, createdAt } = delivery;
    await this.statements.writeIn(
      em,
      planned`
      insert into webhook_delivery (id, project_id, subscription_id, message_id, event_id, event, body, status,
                                    attempts, attempts_since_replay, next_attempt_at, created_at)
      values (${id}, ${projectId}, ${subscriptionId}, ${messageId}, ${eventId}, ${event}, ${body}, 'PENDING',
              0, 0, ${nextAttemptAt}, ${createdAt})`,
    );
    return delivery;
  }

  async withBody(deliveryId: Id<'delivery'>): Promise<DeliveryWithBody | null> {
    const [delivery] = await this.statements.run<DeliveryWithBody>(
      planned`select ${DELIVERY}, body from webhook_delivery where id = ${deliveryId}`,
    );
    return delivery ?? null;
  }

  ofMessage(messageId: Id<'message'>): Promise<Delivery[]> {
    return this.statements.run<Delivery>(
      planned`select ${DELIVERY} from webhook_delivery where message_id = ${messageId} order by id limit ${MOST_OF_A_MESSAGE}`,
    );
  }

  async newestFirst(
    subscriptionId: Id<'subscription'>,
    status: DeliveryStatus | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<Delivery>> {
    const wanted = status === undefined ? raw('true') : sql`status = ${status}`;
    const before = cursor === undefined ? raw('true') : sql`id < ${cursor}`;
    const rows = await this.statements.run<Delivery>(
      sql`select ${DELIVERY} from webhook_delivery where subscription_id = ${subscriptionId} and ${wanted} and ${before}
          order by id desc limit ${limit + 1}`,
    );
    return cutPage(rows, limit);
  }

  /** Given up in that time. */
  async countFailed(subscriptionId: Id<'subscription'>, since: Date, until: Date): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(
      sql`select count(*)::integer as count from webhook_delivery where ${failedWithin(subscriptionId, since, until)}`,
    );
    return row!.count;
  }

  /** Some of those, held until the commit; whoever another transaction holds is left to it. */
  holdSomeFailed(
    em: EntityManager,
    subscriptionId: Id<'subscription'>,
    since: Date,
    until: Date,
    limit: number,
  ): Promise<Delivery[]> {
    return this.statements.runIn<Delivery>(
      em,
      sql`select ${DELIVERY} from webhook_delivery where ${failedWithin(subscriptionId, since, until)}
          order by ended_at, id limit ${limit} for update skip locked`,
    );
  }

  /** Until the commit it neither goes on nor ends otherwise. */
  async hold(em: EntityManager, deliveryId: Id<'delivery'>): Promise<Delivery | null> {
    const [delivery] = await this.statements.runIn<Delivery>(
      em,
      sql`select ${DELIVERY} from webhook_delivery where id = ${deliveryId} for update`,
    );
    return delivery ?? null;
  }

  /** To be tried again as if it were new. */
  async reopen(em: EntityManager, deliveryId: Id<'delivery'>, nextAttemptAt: Date): Promise<Delivery> {
    const [reopened] = await this.statements.runIn<Delivery>(
      em,
      sql`update webhook_delivery set status = 'PENDING', attempts_since_replay = 0, ended_at = null, last_error = null,
            next_attempt_at = ${nextAttemptAt} where id = ${deliveryId} returning ${DELIVERY}`,
    );
    return reopened!;
  }

  /**
   * Counts and logs an attempt; one that succeeded ends the delivery. Answers with how many the schedule counts, which a
   * replay begins anew, or null where it had ended already.
   */
  async writeAttempt(
    em: EntityManager,
    deliveryId: Id<'delivery'>,
    attempt: Omit<Attempt, 'number'>,
  ): Promise<number | null> {
    const { at, status, latencyMs, error, answer } = attempt;
    const [tried] = await this.statements.runIn<{ sinceReplay: number } & Ended>(
      em,
      planned`
      with tried as (
        update webhook_delivery set attempts = attempts + 1, attempts_since_replay = attempts_since_replay + 1
          ${error === null ? sql`, ${ended('DELIVERED', null)}` : raw('')}
        where id = ${deliveryId} and status = 'PENDING' returning id, attempts, attempts_since_replay, is_forgotten),
      logged as (
        insert into webhook_attempt (delivery_id, number, at, status, latency_ms, error, answer)
        select id, attempts, ${at}, ${status}, ${latencyMs}, ${error}, ${answer} from tried)
      select attempts_since_replay as "sinceReplay", is_forgotten as "isForgotten" from tried`,
    );
    if (error === null) await this.forget(em, deliveryId, tried);
    return tried?.sinceReplay ?? null;
  }

  async wait(em: EntityManager, deliveryId: Id<'delivery'>, nextAttemptAt: Date, error: string): Promise<void> {
    await this.statements.writeIn(
      em,
      sql`update webhook_delivery set next_attempt_at = ${nextAttemptAt}, last_error = ${error} where id = ${deliveryId}`,
    );
  }

  /** Nothing where it had ended already. */
  async fail(em: EntityManager, deliveryId: Id<'delivery'>, error: string): Promise<void> {
    const [failed] = await this.statements.runIn<Ended>(
      em,
      sql`update webhook_delivery set ${ended('FAILED', error)} where id = ${deliveryId} and status = 'PENDING'
          returning is_forgotten as "isForgotten"`,
    );
    await this.forget(em, deliveryId, failed);
  }

  private async forget(em: EntityManager, deliveryId: Id<'delivery'>, delivery: Ended | undefined): Promise<void> {
    if (delivery?.isForgotten)
      await this.statements.writeIn(em, sql`delete from webhook_delivery where id = ${deliveryId}`);
  }
}

function ended(status: Exclude<DeliveryStatus, 'PENDING'>, error: string | null): Sql {
  return sql`status = ${status}, last_error = ${error}, next_attempt_at = null, ended_at = ${clock.now()}`;
}

function failedWithin(subscriptionId: Id<'subscription'>, since: Date, until: Date): Sql {
  return sql`subscription_id = ${subscriptionId} and status = 'FAILED' and ended_at between ${since} and ${until}`;
}
