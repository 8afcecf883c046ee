import { z } from 'zod';
import { id, timestamp } from '../../../kernel/schema.js';
import type { AttemptRow } from './attempt.entity.js';
import { headersOf } from './callback-headers.js';
import {
  DELIVERY_STATUSES,
  type DeliveryRow,
  type DeliveryWithBody as DeliveryWithBodyRow,
} from './delivery.entity.js';
import type { LoggedDelivery } from './delivery-log.service.js';
import { WEBHOOK_EVENTS } from '../subscriptions/subscription.entity.js';

/** Signatures are not kept, because they can be made again only while the secret is the same. */
const HIDDEN_SIGNATURE = 'v1,…';

const AttemptRequest = z
  .object({
    url: z
      .string()
      .describe('The address that was called.')
      .meta({ examples: ['https://example.com/callbacks'] }),
    headers: z
      .record(z.string(), z.string())
      .describe('The headers that were sent. The signature itself is not shown.')
      .meta({ examples: [{ 'webhook-event': 'agent.response', 'webhook-signature': HIDDEN_SIGNATURE }] }),
  })
  .meta({ id: 'WebhookAttemptRequest' });

export const AttemptView = z
  .object({
    number: z.int().meta({ examples: [1] }),
    at: timestamp,
    request: AttemptRequest.nullable().describe(
      'The request of the attempt, whose body is that of the delivery. It is null if none was sent, and for attempts that were made before addresses were kept.',
    ),
    status: z
      .int()
      .nullable()
      .describe('The status of the receiver’s answer, or null if it did not answer.')
      .meta({ examples: [500] }),
    latencyMs: z.int().meta({ examples: [84] }),
    error: z
      .string()
      .nullable()
      .describe('The error of a failed attempt.')
      .meta({ examples: ['The receiver answered 500'] }),
    answer: z
      .string()
      .nullable()
      .describe('The beginning of the receiver’s answer.')
      .meta({ examples: ['oops'] }),
  })
  .meta({ id: 'WebhookAttempt' });

export const DeliveryView = z
  .object({
    deliveryId: id('delivery'),
    subscriptionId: id('subscription'),
    event: z.enum(WEBHOOK_EVENTS),
    messageId: id('message').describe('The id of the callback, as in its body and in its header `webhook-id`.'),
    relatedMessageId: id('message')
      .nullable()
      .describe('The message to which the callback belongs. It is null for a test and for a proposal.'),
    status: z.enum(DELIVERY_STATUSES),
    attemptCount: z.int().meta({ examples: [1] }),
    nextAttemptAt: timestamp.nullable(),
    lastError: z
      .string()
      .nullable()
      .meta({ examples: ['The receiver answered 500'] }),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
    attempts: z.array(AttemptView).describe('The last 100 attempts, oldest first.'),
  })
  .meta({ id: 'WebhookDelivery' });

export const DeliveryWithBody = DeliveryView.extend({
  body: z
    .string()
    .describe('The exact body of the callback.')
    .meta({ examples: ['{"message_id":"msg-…"}'] }),
}).meta({ id: 'WebhookDeliveryWithBody' });

export function toDeliveryView({ delivery, attempts }: LoggedDelivery): z.infer<typeof DeliveryView> {
  return {
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    event: delivery.event,
    messageId: delivery.eventId,
    relatedMessageId: delivery.messageId,
    status: delivery.status,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    lastError: delivery.lastError,
    createdAt: delivery.createdAt.toISOString(),
    endedAt: delivery.endedAt?.toISOString() ?? null,
    attempts: attempts.map((attempt) => toAttemptView(delivery, attempt)),
  };
}

export function toDeliveryWithBody(logged: LoggedDelivery<DeliveryWithBodyRow>): z.infer<typeof DeliveryWithBody> {
  return { ...toDeliveryView(logged), body: logged.delivery.body };
}

function toAttemptView(
  delivery: DeliveryRow,
  { number, at, url, status, latencyMs, error, answer }: AttemptRow,
): z.infer<typeof AttemptView> {
  const request = url === null ? null : { url, headers: headersOf(delivery, at, HIDDEN_SIGNATURE) };
  return { number, at: at.toISOString(), request, status, latencyMs, error, answer };
}
