import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Releases the chunks of uploads that were not completed in time. */
export const expireUploads = defineJob('files.expire-uploads', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 3,
  every: 300,
});
