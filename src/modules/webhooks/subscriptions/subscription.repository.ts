import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../../platform/database/sql.js';
import { row, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { Subscription, type SubscriptionRow } from './subscription.entity.js';

export interface Probe {
  /** Whether this attempt finds out if the receiver is back. The other attempts wait for it. */
  isProbe: boolean;
  lookAgainAt: Date;
}

export interface PauseRule {
  afterFailures: number;
  longestSeconds: number;
}

/** Reads subscriptions as entities for the administration, and as rows for messages and callbacks, which are frequent. */
export class SubscriptionRepository extends EntityRepository<Subscription> {
  byId(subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId });
  }

  lock(subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  inProject(projectId: Id<'project'>, subscriptionId: Id<'subscription'>): Promise<Subscription | null> {
    return this.findOne({ id: subscriptionId, project: projectId });
  }

  /** Returns subscriptions whose callbacks are not sent, or whose receiver failed the last time. */
  troubled(projectId: Id<'project'>, limit: number): Promise<Subscription[]> {
    const isTroubled = { $or: [{ status: { $ne: 'ACTIVE' as const } }, { failingSince: { $ne: null } }] };
    return this.find({ project: projectId, ...isTroubled }, { orderBy: { id: 'asc' }, limit });
  }

  row(subscriptionId: Id<'subscription'>): Statement<SubscriptionRow | null> {
    return one(sql`id = ${subscriptionId}`);
  }

  rowInProject(projectId: Id<'project'>, subscriptionId: Id<'subscription'>): Statement<SubscriptionRow | null> {
    return one(sql`id = ${subscriptionId} and project_id = ${projectId}`);
  }

  /** Counts all subscriptions by whether their callbacks are sent, wait for a receiver that fails, or are refused. */
  countByState(): Statement<{ active: number; paused: number; disabled: number }> {
    return theRow(sql`
      select (count(*) filter (where status = 'ACTIVE' and (paused_until is null or paused_until < now())))::int as active,
        (count(*) filter (where status = 'ACTIVE' and paused_until >= now()))::int as paused,
        (count(*) filter (where status <> 'ACTIVE'))::int as disabled
      from webhook_subscription`);
  }

  /** Makes this attempt the probe unless there is one. Returns null if the subscription is gone. */
  probe(subscriptionId: Id<'subscription'>, probeSeconds: number, lookAgainSeconds: number): Statement<Probe | null> {
    return row<Probe>(
      planned`with probe as (
         update webhook_subscription set paused_until = now() + make_interval(secs => ${probeSeconds})
         where id = ${subscriptionId} and (paused_until is null or paused_until <= now()) returning id)
       select exists (select from probe) as "isProbe",
         least(paused_until, now() + make_interval(secs => ${lookAgainSeconds})) as "lookAgainAt"
       from webhook_subscription where id = ${subscriptionId}`,
    );
  }

  noteSuccess(subscriptionId: Id<'subscription'>, at: Date): Statement<void> {
    return write(
      planned`update webhook_subscription set failures = 0, failing_since = null, paused_until = null,
            proved_at = coalesce(proved_at, ${at}) where id = ${subscriptionId}`,
    );
  }

  /** Counts a failure, and returns since when the receiver fails. After many failures, each pause is twice as long. */
  noteFailure(
    subscriptionId: Id<'subscription'>,
    at: Date,
    { afterFailures, longestSeconds }: PauseRule,
  ): Statement<Date | null> {
    return row<{ failingSince: Date }>(
      sql`update webhook_subscription set failures = failures + 1, proved_at = null,
            failing_since = coalesce(failing_since, ${at}),
            paused_until = case when failures + 1 >= ${afterFailures} then now() + make_interval(
              secs => least(power(2, least(failures + 1 - ${afterFailures}, 10)), ${longestSeconds})) end
          where id = ${subscriptionId} returning ${someColumnsOf(Subscription, ['failingSince'])}`,
    ).as((failing) => failing?.failingSince ?? null);
  }
}

function one(where: Sql): Statement<SubscriptionRow | null> {
  return row<SubscriptionRow>(planned`select ${columnsOf(Subscription)} from webhook_subscription where ${where}`);
}
