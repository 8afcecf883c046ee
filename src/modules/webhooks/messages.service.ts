import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import { type Id, newId, toId } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Database } from '../../platform/database/database.js';
import { Turns } from '../agents/turns.service.js';
import { DeliveryLog, type LoggedDelivery } from './delivery-log.service.js';
import type { Message } from './message.js';
import { asWritten } from './message-body.js';
import { MessageStore } from './message-store.js';
import type { SendMessage } from './messages.schema.js';
import { Receivers } from './receivers.js';
import { toCanonicalKey } from './session-key.js';
import { webhooksErrors } from './webhooks.errors.js';

/** Under which name the agents module knows this channel. */
export const WEBHOOKS_SINK = 'webhooks';

export interface FollowedMessage {
  message: Message;
  deliveries: LoggedDelivery[];
}

/** Messages in. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly database: Database,
    private readonly receivers: Receivers,
    private readonly messages: MessageStore,
    private readonly turns: Turns,
    private readonly log: DeliveryLog,
  ) {}

  /** Message, session, run and its job are one commit: what is acknowledged is there. */
  accept(actor: KeyActor, sent: SendMessage): Promise<Message> {
    const { projectId } = actor;
    const sessionKey = toCanonicalKey(sent.project_id, sent.subscription_id, sent.session_key);
    if (sent.project_id !== projectId) throw authErrors.projectNotFound();
    return this.database.transaction(actor, async (em) => {
      const receiver = await this.receivers.inProject(projectId, toId('subscription', sent.subscription_id));
      if (!receiver) throw webhooksErrors.subscriptionNotFound();
      if (receiver.status !== 'ACTIVE') throw webhooksErrors.subscriptionDisabled();
      const id = newId('message');
      const { runId, sessionId } = await this.turns.accept(em, {
        appId: receiver.appId,
        environment: receiver.environment,
        sessionReference: sessionKey,
        input: sent.message,
        channel: 'http_async',
        sink: { name: WEBHOOKS_SINK, ref: id },
      });
      const metadata = sent.metadata ? asWritten(sent.metadata) : null;
      const ids = { id, projectId, subscriptionId: receiver.id, runId, sessionId };
      return this.messages.insert(em, { ...ids, sessionKey, metadata });
    });
  }

  async follow(projectId: Id<'project'>, messageId: Id<'message'>): Promise<FollowedMessage> {
    return this.followed(await this.messages.inProject(projectId, messageId));
  }

  async followForAdministration(messageId: Id<'message'>): Promise<FollowedMessage> {
    return this.followed(await this.messages.byId(messageId));
  }

  private async followed(message: Message | null): Promise<FollowedMessage> {
    if (!message) throw webhooksErrors.messageNotFound();
    return { message, deliveries: await this.log.ofMessage(message.id) };
  }
}
