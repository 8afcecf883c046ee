import type { Transaction } from '../../../platform/database/transaction.js';
import { toId } from '../../../kernel/ids.js';
import { type FinishedTurn, TakesTurns, type Turn, TurnSink, type TurnStatus } from '../../agents/agents.port.js';
import { type Callback, mediaCallback, responseCallback, statusCallback } from './callback-bodies.js';
import { Deliveries } from '../deliveries/deliveries.service.js';
import { MessageRepository, type ToldMessage } from '../messages/message.repository.js';
import { WEBHOOKS_SINK } from '../messages/messages.service.js';

/** What a turn comes to becomes callbacks, in the transaction in which it comes to that. */
@TakesTurns(WEBHOOKS_SINK)
export class CallbackSink extends TurnSink {
  constructor(
    private readonly messages: MessageRepository,
    private readonly deliveries: Deliveries,
  ) {
    super();
  }

  async onStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void> {
    const message = await tx.ask(this.messages.underWay(idOf(turn)));
    if (message) await this.promise(tx, message, [statusCallback(message, status)]);
  }

  async onFinished(tx: Transaction, turn: FinishedTurn): Promise<void> {
    const status = turn.status === 'ok' ? 'completed' : 'failed';
    const message = await tx.ask(this.messages.end(idOf(turn), status, turn.error ?? null));
    if (!message) return;
    const media = turn.media.map((one) => mediaCallback(message, one));
    const callbacks = [responseCallback(message, turn), ...media, statusCallback(message, status)];
    await this.promise(tx, message, callbacks);
  }

  /** Nothing where the subscription is gone meanwhile: how the turn ended is still told by the message. */
  private async promise(
    tx: Transaction,
    { id: messageId, projectId, subscriptionId, receiverEvents, receiverProvedAt: provedAt }: ToldMessage,
    callbacks: Callback[],
  ): Promise<void> {
    for (const callback of callbacks) {
      if (!receiverEvents?.includes(callback.event)) continue;
      await this.deliveries.promise(tx, { provedAt }, { projectId, subscriptionId, messageId, ...callback });
    }
  }
}

const idOf = ({ sink }: Turn) => toId('message', sink!.ref);
