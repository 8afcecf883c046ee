import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { DAY_MS } from '../../kernel/spans.js';
import { planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { ProvedReceiver, Receiver } from './receivers.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { FIRST_CALLBACKS } from './webhooks.jobs.js';

/** After so many failures in a row, one attempt at a time finds out whether the receiver is back. */
const FAILURES_UNTIL_PAUSE = 5;
const LONGEST_PAUSE_SECONDS = 60;
/** Longer than an attempt takes: while one finds out, the others wait. */
const PROBE_SECONDS = 20;
/** How long at most whoever waits does so before it looks again: the receiver may be back. */
const LOOK_AGAIN_SECONDS = 5;
const DISABLED_AFTER_MS = 5 * DAY_MS;

/**
 * How a subscription's receiver fares. One that is down or hangs would hold its eight places for as long as it is tried;
 * paused, it costs one attempt now and then. What waits meanwhile uses up none of its attempts.
 */
@Injectable()
export class ReceiverHealth {
  constructor(
    private readonly statements: Statements,
    private readonly subscriptions: SubscriptionRepository,
  ) {}

  /** Until when an attempt has to wait; null when it may begin. */
  async waitUntil({ id, failures }: Receiver): Promise<Date | null> {
    if (failures < FAILURES_UNTIL_PAUSE) return null;
    const [receiver] = await this.statements.run<{ isProbe: boolean; lookAgainAt: Date }>(
      planned`with probe as (
         update webhook_subscription set paused_until = now() + make_interval(secs => ${PROBE_SECONDS})
         where id = ${id} and (paused_until is null or paused_until <= now()) returning id)
       select exists (select from probe) as "isProbe",
         least(paused_until, now() + make_interval(secs => ${LOOK_AGAIN_SECONDS})) as "lookAgainAt"
       from webhook_subscription where id = ${id}`,
    );
    return !receiver || receiver.isProbe ? null : receiver.lookAgainAt;
  }

  /** How many callbacks may be under way to it: a receiver that hangs from the start holds two slots, not eight. */
  widthOf({ provedAt }: ProvedReceiver): { width?: number } {
    return provedAt ? {} : { width: FIRST_CALLBACKS };
  }

  /** Most receivers fare well, and then there is nothing to write. */
  async succeeded(em: EntityManager, { id, failures, provedAt }: Receiver): Promise<void> {
    if (failures === 0 && provedAt) return;
    await this.statements.writeIn(
      em,
      planned`update webhook_subscription set failures = 0, failing_since = null, paused_until = null,
            proved_at = coalesce(proved_at, ${clock.now()}) where id = ${id}`,
    );
  }

  /** Disables the subscription when its receiver is gone, or has failed for days. Tells whether it did. */
  async failed(em: EntityManager, { id }: Receiver, isGone: boolean): Promise<boolean> {
    const [health] = await this.statements.runIn<{ failingSince: Date }>(
      em,
      sql`update webhook_subscription set failures = failures + 1, proved_at = null,
            failing_since = coalesce(failing_since, ${clock.now()}),
            paused_until = case when failures + 1 >= ${FAILURES_UNTIL_PAUSE} then now() + make_interval(
              secs => least(power(2, least(failures + 1 - ${FAILURES_UNTIL_PAUSE}, 10)), ${LONGEST_PAUSE_SECONDS})) end
          where id = ${id} returning failing_since as "failingSince"`,
    );
    if (!health) return false;
    if (isGone) return this.disable(id, 'The receiver answered 410 Gone');
    const failedForMs = clock.now().getTime() - health.failingSince.getTime();
    return failedForMs >= DISABLED_AFTER_MS && this.disable(id, 'Every attempt failed for five days');
  }

  private async disable(id: Receiver['id'], reason: string): Promise<true> {
    const subscription = await this.subscriptions.lock(id);
    subscription?.disable(reason);
    return true;
  }
}
