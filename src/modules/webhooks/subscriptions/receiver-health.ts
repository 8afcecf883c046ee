import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { DAY_MS } from '../../../kernel/spans.js';
import { Database } from '../../../platform/database/database.js';
import type { Receiver, SubscriptionRow } from './subscription.entity.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { FIRST_CALLBACKS } from '../webhooks.jobs.js';

/** After that many failures in a row the receiver is paused: one attempt at a time finds out whether it is back. */
const PAUSE = { afterFailures: 5, longestSeconds: 60 };
/** Longer than an attempt takes: while one finds out, the others wait. */
const PROBE_SECONDS = 20;
/** How long at most whoever waits does so before it looks again: the receiver may be back. */
const LOOK_AGAIN_SECONDS = 5;
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** What tells how many callbacks may be under way to a receiver. */
export type ProvedReceiver = Pick<SubscriptionRow, 'provedAt'>;

/**
 * How a subscription's receiver fares. One that is down or hangs would hold its eight places for as long as it is tried;
 * paused, it costs one attempt now and then. What waits meanwhile uses up none of its attempts.
 */
@Injectable()
export class ReceiverHealth {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
  ) {}

  /** Until when an attempt has to wait; null when it may begin. */
  async waitUntil({ id, failures }: Receiver): Promise<Date | null> {
    if (failures < PAUSE.afterFailures) return null;
    const probe = await this.database.ask(this.subscriptions.probe(id, PROBE_SECONDS, LOOK_AGAIN_SECONDS));
    return !probe || probe.isProbe ? null : probe.lookAgainAt;
  }

  /** How many callbacks may be under way to it: a receiver that hangs from the start holds two slots, not eight. */
  widthOf({ provedAt }: ProvedReceiver): { width?: number } {
    return provedAt ? {} : { width: FIRST_CALLBACKS };
  }

  /** Most receivers fare well, and then there is nothing to write. */
  succeeded({ id, failures, provedAt }: Receiver): Statement<unknown>[] {
    return failures > 0 || !provedAt ? [this.subscriptions.noteSuccess(id, clock.now())] : [];
  }

  /** Disables the subscription when its receiver is gone, or has failed for days. Tells whether it did. */
  async failed(tx: Transaction, { id }: Receiver, isGone: boolean): Promise<boolean> {
    const failingSince = await tx.ask(this.subscriptions.noteFailure(id, clock.now(), PAUSE));
    if (!failingSince) return false;
    if (isGone) return this.disable(id, 'The receiver answered 410 Gone');
    const failedForMs = clock.now().getTime() - failingSince.getTime();
    return failedForMs >= DISABLED_AFTER_MS && this.disable(id, 'Every attempt failed for five days');
  }

  private async disable(id: Id<'subscription'>, reason: string): Promise<true> {
    const subscription = await this.subscriptions.lock(id);
    subscription?.disable(reason);
    return true;
  }
}
