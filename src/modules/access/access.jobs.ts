import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Twice a minute for a day. A process that does not confirm the revocation will have ended by then. */
const ATTEMPTS = 2_880;
const EVERY_SECONDS = 30;

/** Finishes a revocation whose request was answered with 503, or whose process died. */
export const finishRevocation = defineJob('access.finish-revocation', {
  queue: 'upkeep',
  data: z.object({ keyId: z.string() }),
  attempts: ATTEMPTS,
  backoff: () => EVERY_SECONDS,
});
