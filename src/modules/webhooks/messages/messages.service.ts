import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../../kernel/actor.js';
import { type Id, newId, toId } from '../../../kernel/ids.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { Turns } from '../../agents/turns/turns.service.js';
import { DeliveryLog, type LoggedDelivery } from '../deliveries/delivery-log.service.js';
import { acceptedMessage, type MessageRow, toCanonicalKey } from './message.entity.js';
import { MessageRepository } from './message.repository.js';
import { asWritten, type SendMessage } from './messages.schema.js';
import { isActive } from '../subscriptions/subscription.entity.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { webhooksErrors } from '../webhooks.errors.js';
import { MessageAccepted } from '../webhooks.events.js';

/** The name of this channel in the agents module. */
export const WEBHOOKS_SINK = 'webhooks';

/** The members of a message that its acknowledgement has. */
export type AcceptedMessage = Pick<MessageRow, 'id' | 'sessionKey'>;

export interface FollowedMessage {
  message: MessageRow;
  deliveries: LoggedDelivery[];
}

/** Accepts messages, and reads how far they are. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly messages: MessageRepository,
    private readonly turns: Turns,
    private readonly events: Events,
    private readonly log: DeliveryLog,
  ) {}

  /** Commits the message, its session, its run and the job of the run together, before the message is acknowledged. */
  accept(actor: KeyActor, sent: SendMessage): Promise<AcceptedMessage> {
    const { projectId } = actor;
    const sessionKey = toCanonicalKey(sent.project_id, sent.subscription_id, sent.session_key);
    if (sent.project_id !== projectId) throw authErrors.projectNotFound();
    return this.database.transaction(actor, async (tx) => {
      const subscriptionId = toId('subscription', sent.subscription_id);
      const subscription = await tx.ask(this.subscriptions.rowInProject(projectId, subscriptionId));
      if (!subscription) throw webhooksErrors.subscriptionNotFound();
      if (!isActive(subscription)) throw webhooksErrors.subscriptionDisabled();
      const id = newId('message');
      const metadata = sent.metadata ? asWritten(sent.metadata) : null;
      const members = { id, projectId, subscriptionId, sessionKey, metadata };
      const { runId, sessionId } = await this.turns.accept(tx, {
        appId: subscription.appId,
        environment: subscription.environment,
        sessionReference: sessionKey,
        input: sent.message,
        channel: 'http_async',
        sink: { name: WEBHOOKS_SINK, ref: id },
        notifiesOfStart: subscription.events.includes('agent.status'),
        together: ({ runId, sessionId }) => [this.messages.add(acceptedMessage({ ...members, runId, sessionId }))],
      });
      await this.events.publish(tx, MessageAccepted, { messageId: id, projectId, subscriptionId, sessionId, runId });
      return { id, sessionKey };
    });
  }

  async follow(projectId: Id<'project'>, messageId: Id<'message'>): Promise<FollowedMessage> {
    return this.followed(await this.database.ask(this.messages.inProject(projectId, messageId)));
  }

  async followForAdministration(messageId: Id<'message'>): Promise<FollowedMessage> {
    return this.followed(await this.database.ask(this.messages.byId(messageId)));
  }

  private async followed(message: MessageRow | null): Promise<FollowedMessage> {
    if (!message) throw webhooksErrors.messageNotFound();
    return { message, deliveries: await this.log.ofMessage(message.id) };
  }
}
