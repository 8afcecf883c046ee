import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Compacts the rollup, to which writers only append, and creates the partitions of the next month. */
export const tidyLedger = defineJob('ledger.tidy', { queue: 'upkeep', data: z.object({}), attempts: 10, every: 30 });

/** Removes channel and environment from calls of design time that processes of earlier releases wrote. */
export const correctDesignTimeCalls = defineJob('ledger.put-design-time-right', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 10,
  every: 600,
});

/** Computes the costs of the calls of a past window again, with the current prices. */
export const repriceCalls = defineJob('ledger.reprice', {
  queue: 'upkeep',
  data: z.object({ repricingId: z.string() }),
  attempts: 20,
});
