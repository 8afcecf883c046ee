import type { Transaction } from '../../../platform/database/transaction.js';
import { toId } from '../../../kernel/ids.js';
import { type FinishedTurn, TakesTurns, type Turn, TurnSink, type TurnStatus } from '../../agents/agents.port.js';
import { type Callback, mediaCallback, responseCallback, statusCallback } from './callback-bodies.js';
import { Deliveries } from '../deliveries/deliveries.service.js';
import { MessageRepository, type MessageWithReceiver } from '../messages/message.repository.js';
import { WEBHOOKS_SINK } from '../messages/messages.service.js';

/** Adds the deliveries of a turn's callbacks in the transaction that changes the turn's state. */
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
    if (message) await this.addDeliveries(tx, message, [statusCallback(message, status)]);
  }

  async onFinished(tx: Transaction, turn: FinishedTurn): Promise<void> {
    const status = turn.status === 'ok' ? 'completed' : 'failed';
    const message = await tx.ask(this.messages.end(idOf(turn), status, turn.error ?? null));
    if (!message) return;
    const media = turn.media.map((one) => mediaCallback(message, one));
    const callbacks = [responseCallback(message, turn), ...media, statusCallback(message, status)];
    await this.addDeliveries(tx, message, callbacks);
  }

  /**
   * Adds nothing if the subscription is gone, and nothing for events that it does not want. The message still shows how
   * the turn ended.
   */
  private async addDeliveries(
    tx: Transaction,
    { id: messageId, projectId, subscriptionId, receiverEvents, receiverProvedAt: provedAt }: MessageWithReceiver,
    callbacks: Callback[],
  ): Promise<void> {
    for (const callback of callbacks) {
      if (!receiverEvents?.includes(callback.event)) continue;
      await this.deliveries.add(tx, { provedAt }, { projectId, subscriptionId, messageId, ...callback });
    }
  }
}

const idOf = ({ sink }: Turn) => toId('message', sink!.ref);
