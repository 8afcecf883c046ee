import type { Transaction } from '../../../platform/database/transaction.js';
import type { SessionRow } from '../../sessions/session.entity.js';
import { KeepsOfSessions, SessionKeeper } from '../../sessions/sessions.port.js';
import { DeliveryRepository } from '../deliveries/delivery.repository.js';
import { MessageRepository } from './message.repository.js';

/** Erases the messages of a session and their deliveries. Pending deliveries are kept until they end. */
@KeepsOfSessions()
export class MessagesOfSessions extends SessionKeeper {
  constructor(
    private readonly messages: MessageRepository,
    private readonly deliveries: DeliveryRepository,
  ) {
    super();
  }

  async forget(tx: Transaction, { id }: SessionRow) {
    const messageIds = await tx.ask(this.messages.deleteOfSession(id));
    await tx.askAll([this.deliveries.forgetPending(messageIds), this.deliveries.deleteOthers(messageIds)]);
    return { messages: messageIds.length };
  }
}
