import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Lets go of what was uploaded in chunks and not completed in time. */
export const expireUploads = defineJob('files.expire-uploads', { data: z.object({}), attempts: 3, every: 300 });
