import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** How many callbacks are under way to one receiver, and how many until it has shown that it takes them. */
const PARALLEL_CALLBACKS = 8;
export const FIRST_CALLBACKS = 2;

const deliverData = z.object({ deliveryId: ownId('delivery') });
export type DeliverData = z.output<typeof deliverData>;

/**
 * One attempt to deliver; the next one is another job, added with what came of this one. Its own attempts are for what
 * happens to us, and for looking again while the receiver is paused: the promise ends by the schedule, not by them.
 */
export const deliverCallback = defineJob('webhooks.deliver', {
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

/** Begins all deliveries of a subscription anew that failed in a time. */
export const replayFailed = defineJob('webhooks.replay-failed', { data: replayFailedData, attempts: 20 });
