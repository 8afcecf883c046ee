import { z } from 'zod';
import { defineJob } from '../queue/job-definition.js';

/** Removes objects that no row refers to: unfinished uploads, and contents that were replaced or deleted. */
export const sweepStorage = defineJob('storage.sweep', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 3,
  every: 300,
});
