import { z } from 'zod';
import { id, timestamp } from '../../../kernel/schema.js';
import { DeliveryView, toDeliveryView } from '../deliveries/deliveries.admin.schema.js';
import { errorOf, MESSAGE_STATUSES } from './message.entity.js';
import type { FollowedMessage } from './messages.service.js';

export const AdminMessageView = z
  .object({
    messageId: id('message'),
    projectId: id('project'),
    subscriptionId: id('subscription'),
    runId: id('agentRun'),
    sessionId: id('session'),
    sessionKey: z.string().meta({ examples: ['http_async:p-…:sub-…:customer-42'] }),
    status: z.enum(MESSAGE_STATUSES),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ examples: [null] }),
    acceptedAt: timestamp,
    finishedAt: timestamp.nullable(),
    deliveries: z.array(DeliveryView),
  })
  .meta({ id: 'AdminMessage' });

export function toAdminMessageView({ message, deliveries }: FollowedMessage): z.infer<typeof AdminMessageView> {
  return {
    messageId: message.id,
    projectId: message.projectId,
    subscriptionId: message.subscriptionId,
    runId: message.runId,
    sessionId: message.sessionId,
    sessionKey: message.sessionKey,
    status: message.status,
    error: errorOf(message),
    acceptedAt: message.createdAt.toISOString(),
    finishedAt: message.finishedAt?.toISOString() ?? null,
    deliveries: deliveries.map(toDeliveryView),
  };
}
