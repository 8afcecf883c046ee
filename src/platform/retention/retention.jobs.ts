import { z } from 'zod';
import { defineJob } from '../queue/job-definition.js';

export const SweepData = z.object({});

/** Removes what has been kept for its period. */
export const sweepRetention = defineJob('retention.sweep', {
  queue: 'upkeep',
  data: SweepData,
  attempts: 3,
  every: 3600,
});
