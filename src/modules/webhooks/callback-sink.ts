import type { EntityManager } from '@mikro-orm/postgresql';
import { toId } from '../../kernel/ids.js';
import { type FinishedTurn, TakesTurns, type Turn, TurnSink, type TurnStatus } from '../agents/agents.port.js';
import { type Callback, mediaCallback, responseCallback, statusCallback } from './callback-bodies.js';
import { Deliveries } from './deliveries.service.js';
import type { Message } from './message.js';
import { MessageStore } from './message-store.js';
import { WEBHOOKS_SINK } from './messages.service.js';
import { type Receiver, Receivers } from './receivers.js';

/** What a turn comes to becomes callbacks, in the transaction in which it comes to that. */
@TakesTurns(WEBHOOKS_SINK)
export class CallbackSink extends TurnSink {
  constructor(
    private readonly messages: MessageStore,
    private readonly receivers: Receivers,
    private readonly deliveries: Deliveries,
  ) {
    super();
  }

  async onStatus(em: EntityManager, turn: Turn, status: TurnStatus): Promise<void> {
    const [message, receiver] = await Promise.all([
      this.messages.goOn(em, idOf(turn), status === 'suspended' ? 'suspended' : 'processing'),
      this.receivers.ofMessage(idOf(turn)),
    ]);
    if (message) await this.promise(em, message, receiver, [statusCallback(message, status)]);
  }

  async onFinished(em: EntityManager, turn: FinishedTurn): Promise<void> {
    const status = turn.status === 'ok' ? 'completed' : 'failed';
    const [message, receiver] = await Promise.all([
      this.messages.end(em, idOf(turn), status, turn.error ?? null),
      this.receivers.ofMessage(idOf(turn)),
    ]);
    if (!message) return;
    const media = turn.media.map((one) => mediaCallback(message, one));
    const callbacks = [responseCallback(message, turn), ...media, statusCallback(message, status)];
    await this.promise(em, message, receiver, callbacks);
  }

  /** Nothing where the subscription is gone meanwhile: how the turn ended is still told by the message. */
  private async promise(
    em: EntityManager,
    { id: messageId, projectId, subscriptionId }: Message,
    receiver: Receiver | null,
    callbacks: Callback[],
  ): Promise<void> {
    for (const callback of callbacks) {
      if (!receiver?.events.includes(callback.event)) continue;
      await this.deliveries.promise(em, receiver, { projectId, subscriptionId, messageId, ...callback });
    }
  }
}

const idOf = ({ sink }: Turn) => toId('message', sink!.ref);
