import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ownId } from '../../kernel/schema.js';
import { WEBHOOK_EVENTS } from './subscriptions/subscription.entity.js';

export const MessageAccepted = defineEvent(
  'message.accepted',
  z
    .object({
      messageId: ownId('message'),
      projectId: ownId('project'),
      subscriptionId: ownId('subscription'),
      sessionId: ownId('session'),
      runId: ownId('agentRun'),
    })
    .describe('A message of the webhook channel was accepted. The event of its turn has the same `runId`.'),
);
export type MessageAccepted = PayloadOf<typeof MessageAccepted>;

const callback = z.object({
  deliveryId: ownId('delivery'),
  projectId: ownId('project'),
  subscriptionId: ownId('subscription'),
  messageId: ownId('message').nullable(),
  event: z.enum(WEBHOOK_EVENTS),
});

export const CallbackDelivered = defineEvent(
  'callback.delivered',
  callback.describe('A receiver accepted a callback. `messageId` is null if the callback is about no message.'),
);
export type CallbackDelivered = PayloadOf<typeof CallbackDelivered>;

export const CallbackFailed = defineEvent(
  'callback.failed',
  callback.describe('A callback failed, and no further attempt is made unless it is replayed.'),
);
export type CallbackFailed = PayloadOf<typeof CallbackFailed>;
