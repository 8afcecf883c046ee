import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Twice a minute, for a day: a process that does not confirm will by then have ended one way or another. */
const ATTEMPTS = 2_880;
const EVERY_SECONDS = 30;

/** Sees to the end of a revocation whose request was answered 503, or whose process died. */
export const finishRevocation = defineJob('access.finish-revocation', {
  data: z.object({ keyId: z.string() }),
  attempts: ATTEMPTS,
  backoff: () => EVERY_SECONDS,
});
