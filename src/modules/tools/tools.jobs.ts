import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Continues a run after its last recorded step. */
export const runTool = defineJob<{ runId: string }>('tools.run', {
  queue: 'turns',
  data: z.object({ runId: z.string() }),
  attempts: 5,
});

/**
 * Expires a suspension when its time is over. It is attempted for a day, because the run would otherwise wait forever.
 */
export const endSuspension = defineJob<{ suspensionId: string }>('tools.end-suspension', {
  queue: 'turns',
  data: z.object({ suspensionId: z.string() }),
  attempts: 2_880,
  backoff: () => 30,
});

/**
 * Resumes a run when the time of its delay has come. It is attempted for a day, because the run would otherwise wait
 * forever.
 */
export const endDelay = defineJob<{ runId: string }>('tools.end-delay', {
  queue: 'turns',
  data: z.object({ runId: z.string() }),
  attempts: 2_880,
  backoff: () => 30,
});

/**
 * Fails a run whose caller has not continued it in time. It is attempted for a day, because nothing else would end it.
 */
export const watchRun = defineJob<{ runId: string }>('tools.watch-run', {
  queue: 'turns',
  data: z.object({ runId: z.string() }),
  attempts: 2_880,
  backoff: () => 30,
});
