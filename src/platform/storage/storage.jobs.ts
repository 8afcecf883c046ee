import { z } from 'zod';
import { defineJob } from '../queue/job-definition.js';

/** Removes what nobody keeps: uploads that ended half way, what was replaced, what was deleted. */
export const sweepStorage = defineJob('storage.sweep', { data: z.object({}), attempts: 3, every: 300 });
