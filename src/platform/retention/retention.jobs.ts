import { z } from 'zod';
import { defineJob } from '../queue/job-definition.js';

export const SweepData = z.object({});

/** Removes what has been kept long enough. */
export const sweepRetention = defineJob('retention.sweep', { data: SweepData, attempts: 3, every: 3600 });
