import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** The number of callbacks that may be under way to a receiver, and the number before it has accepted one. */
const PARALLEL_CALLBACKS = 8;
export const FIRST_CALLBACKS = 2;

const deliverData = z.object({ deliveryId: ownId('delivery') });
export type DeliverData = z.output<typeof deliverData>;

/**
 * One attempt at a delivery. The next attempt is another job, which is added together with the outcome of this one. The
 * job's own attempts are for faults of the service and pauses of the receiver. They are practically unlimited, because
 * the schedule ends the delivery.
 */
export const deliverCallback = defineJob('webhooks.deliver', {
  queue: 'callbacks',
  data: deliverData,
  attempts: 10_000_000,
  width: PARALLEL_CALLBACKS,
  isKept: false,
});

const replayFailedData = z.object({
  subscriptionId: ownId('subscription'),
  since: z.iso.datetime(),
  until: z.iso.datetime(),
});
export type ReplayFailedData = z.output<typeof replayFailedData>;

/** Replays all deliveries of a subscription that failed in a time. */
export const replayFailed = defineJob('webhooks.replay-failed', {
  queue: 'callbacks',
  data: replayFailedData,
  attempts: 20,
});
