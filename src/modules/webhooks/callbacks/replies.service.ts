import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Id, newId } from '../../../kernel/ids.js';
import { replyCallback } from './callback-bodies.js';
import { Deliveries } from '../deliveries/deliveries.service.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';

/** A reply of an agent that answers no message of this channel. */
export interface ProposedReply {
  sessionKey: string;
  /** The id under which the ledger has the calls that made the reply. */
  sessionId: string;
  response: string;
  metadata: Record<string, unknown>;
}

/** Adds deliveries of replies that agents make outside of turns. */
@Injectable()
export class Replies {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly deliveries: Deliveries,
  ) {}

  /** Adds nothing if the subscription is gone, or does not subscribe to replies. */
  async add(
    tx: Transaction,
    projectId: Id<'project'>,
    subscriptionId: Id<'subscription'>,
    { metadata, ...proposed }: ProposedReply,
  ): Promise<void> {
    const subscription = await tx.ask(this.subscriptions.rowInProject(projectId, subscriptionId));
    if (!subscription?.events.includes('agent.response')) return;
    const callback = replyCallback(newId('message'), {
      ...proposed,
      status: 'ok',
      usedFallback: false,
      isNewSession: false,
      provenance: { kind: 'llm', usedLlmInternally: true },
      metadata: JSON.stringify(metadata),
    });
    await this.deliveries.add(tx, subscription, { projectId, subscriptionId, messageId: null, ...callback });
  }
}
