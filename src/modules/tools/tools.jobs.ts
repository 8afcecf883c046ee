import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Goes on with a run, from where it is. */
export const runTool = defineJob<{ runId: string }>('tools.run', {
  data: z.object({ runId: z.string() }),
  attempts: 5,
});

/** When the time of a suspension is over. */
export const endSuspension = defineJob<{ suspensionId: string }>('tools.end-suspension', {
  data: z.object({ suspensionId: z.string() }),
  attempts: 2_880,
  backoff: () => 30,
});

/** When whoever runs a tool has had more than the time for it. */
export const watchRun = defineJob<{ runId: string }>('tools.watch-run', {
  data: z.object({ runId: z.string() }),
  attempts: 2_880,
  backoff: () => 30,
});
