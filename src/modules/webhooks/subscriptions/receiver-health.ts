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

/** After this many failures in a row, the receiver is paused: one attempt at a time finds out whether it is back. */
const PAUSE = { afterFailures: 5, longestSeconds: 60 };
/** The time in which only the probe is attempted. It is longer than an attempt takes. */
const PROBE_SECONDS = 20;
/** The longest time after which a waiting delivery checks whether the receiver is back. */
const LOOK_AGAIN_SECONDS = 5;
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** The member of a receiver that decides how many callbacks may be under way to it. */
export type ProvedReceiver = Pick<SubscriptionRow, 'provedAt'>;

/**
 * Pauses receivers that fail, and disables their subscriptions. A receiver that is down or hangs would occupy eight
 * places of its lane all the time. A paused one costs an attempt now and then, and waiting deliveries lose no attempts.
 */
@Injectable()
export class ReceiverHealth {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
  ) {}

  /** Returns the time until which an attempt has to wait, or null if it may begin. */
  async waitUntil({ id, failures }: Receiver): Promise<Date | null> {
    if (failures < PAUSE.afterFailures) return null;
    const probe = await this.database.ask(this.subscriptions.probe(id, PROBE_SECONDS, LOOK_AGAIN_SECONDS));
    return !probe || probe.isProbe ? null : probe.lookAgainAt;
  }

  /**
   * Limits the callbacks to a receiver that has not accepted one yet. If it hangs from the start, it occupies two
   * slots, not eight.
   */
  widthOf({ provedAt }: ProvedReceiver): { width?: number } {
    return provedAt ? {} : { width: FIRST_CALLBACKS };
  }

  /** Returns no write for a receiver without failures, because most receivers have none. */
  succeeded({ id, failures, provedAt }: Receiver): Statement<unknown>[] {
    return failures > 0 || !provedAt ? [this.subscriptions.noteSuccess(id, clock.now())] : [];
  }

  /** Disables the subscription if its receiver is gone or has failed for five days. Returns whether it did so. */
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
