import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Adds up the sums that writers append, and makes the next months. */
export const tidyLedger = defineJob('ledger.tidy', { data: z.object({}), attempts: 10, every: 30 });

/** Removes channel and environment from calls of design time that processes of earlier releases have written. */
export const putDesignTimeRight = defineJob('ledger.put-design-time-right', {
  data: z.object({}),
  attempts: 10,
  every: 600,
});

/** Reckons the costs of a window again. */
export const repriceCalls = defineJob('ledger.reprice', { data: z.object({ repricingId: z.string() }), attempts: 20 });
