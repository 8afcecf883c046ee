import type { EntityManager } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { type FinishedTurn, TakesTurns, type Turn, TurnSink, type TurnStatus } from '../agents/agents.port.js';
import { type Callback, mediaCallback, responseCallback, statusCallback } from './callback-bodies.js';
import { Deliveries } from './deliveries.service.js';
import type { Message } from './message.entity.js';
import { MessageRepository } from './message.repository.js';
import { WEBHOOKS_SINK } from './messages.service.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** What a turn comes to becomes callbacks, in the transaction in which it comes to that. */
@TakesTurns(WEBHOOKS_SINK)
export class CallbackSink extends TurnSink {
  constructor(
    private readonly messages: MessageRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly deliveries: Deliveries,
  ) {
    super();
  }

  async onStatus(em: EntityManager, turn: Turn, status: TurnStatus): Promise<void> {
    const message = await this.messageOf(turn);
    if (!message) return;
    if (status === 'suspended') message.goOn('suspended');
    if (status === 'processing' || status === 'resumed') message.goOn('processing');
    await this.promise(em, message, [statusCallback(message, status)]);
  }

  async onFinished(em: EntityManager, turn: FinishedTurn): Promise<void> {
    const message = await this.messageOf(turn);
    if (!message) return;
    message.end(turn.status === 'ok' ? 'completed' : 'failed', turn.error);
    const media = turn.media.map((one) => mediaCallback(message, one));
    await this.promise(em, message, [responseCallback(message, turn), ...media]);
  }

  /** Nothing where the subscription is gone meanwhile: how the turn ended is still told by the message. */
  private async promise(em: EntityManager, message: Message, callbacks: Callback[]): Promise<void> {
    const { id: messageId, projectId, subscriptionId } = message;
    const subscription = await this.subscriptions.byId(subscriptionId);
    for (const callback of callbacks) {
      if (!subscription?.wants(callback.event)) continue;
      await this.deliveries.promise(em, { projectId, subscriptionId, messageId, ...callback });
    }
  }

  private async messageOf({ sink }: Turn): Promise<Message | null> {
    return sink && this.messages.byId(sink.ref as Id<'message'>);
  }
}
