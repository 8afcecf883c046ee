import type { Id } from '../../kernel/ids.js';
import type { WebhookEvent } from './webhook-events.js';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One callback, from when it is promised until it arrived or was given up. */
export interface Delivery {
  id: Id<'delivery'>;
  projectId: Id<'project'>;
  subscriptionId: Id<'subscription'>;
  /** The message it is about; none for a test, or a proposal. */
  messageId: Id<'message'> | null;
  /** What the receiver tells repeats by. */
  eventId: Id<'message'>;
  event: WebhookEvent;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** With what is sent, byte for byte: up to a MiB, so that only who needs it reads it. It never changes. */
export interface DeliveryWithBody extends Delivery {
  body: string;
}

export type NewDelivery = Pick<
  DeliveryWithBody,
  'projectId' | 'subscriptionId' | 'messageId' | 'eventId' | 'event' | 'body'
>;
