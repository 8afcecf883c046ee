import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { SealedTextError } from '../../../platform/crypto/sealed-text-error.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import type { Receiver, Subscription } from './subscription.entity.js';

const currentColumn = defineSealed({ table: 'webhook_subscription', column: 'secret_sealed' });
const previousColumn = defineSealed({ table: 'webhook_subscription', column: 'previous_secret_sealed' });

/** The prefix of a secret in Standard Webhooks 1.0, which base64 follows. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Makes the secrets that sign callbacks, and signs with them. They are stored sealed, and shown once. */
@Injectable()
export class SubscriptionSecrets {
  constructor(private readonly vault: Vault) {}

  /** Gives the subscription a new secret, and returns it. */
  make(subscription: Subscription): string {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    subscription.secretSealed = this.vault.seal(secret, currentColumn, subscription.id);
    return secret;
  }

  /** Replaces the secret. During the overlap, callbacks are also signed with the old one, if it can still be opened. */
  rotate(subscription: Subscription, overlapSeconds: number): string {
    const old = overlapSeconds > 0 ? this.openOrNothing(subscription) : undefined;
    subscription.previousSecretSealed = old ? this.vault.seal(old, previousColumn, subscription.id) : null;
    subscription.previousSecretUntil = old ? new Date(clock.now().getTime() + overlapSeconds * 1000) : null;
    subscription.modifiedAt = clock.now();
    return this.make(subscription);
  }

  /** Returns the header `webhook-signature`, with a signature for each live secret. Throws a SealedTextError. */
  signatureFor(receiver: Receiver, signed: string): string {
    return this.live(receiver)
      .map((secret) => `v1,${hmac(secret, signed)}`)
      .join(' ');
  }

  /** Returns the secrets that are live now, the newest first. */
  private live({ id, secretSealed, previousSecretSealed, previousSecretUntil }: Receiver): string[] {
    const secrets = [this.vault.open(secretSealed, currentColumn, id)];
    if (previousSecretSealed !== null && previousSecretUntil! > clock.now()) {
      secrets.push(this.vault.open(previousSecretSealed, previousColumn, id));
    }
    return secrets;
  }

  private openOrNothing({ id, secretSealed }: Subscription): string | undefined {
    try {
      return this.vault.open(secretSealed, currentColumn, id);
    } catch (error) {
      if (error instanceof SealedTextError) return undefined;
      throw error;
    }
  }
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');
}
