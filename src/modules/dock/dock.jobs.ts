import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** How often a kind of dock job is tried, its work says; this bounds what nobody does. */
export const runDockJob = defineJob<{ dockJobId: string }>('dock.run', {
  data: z.object({ dockJobId: z.string() }),
  attempts: 1_000,
  backoff: (attempt) => Math.min(2 ** (attempt - 1), 30),
});
