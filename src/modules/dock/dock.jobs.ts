import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';
import { ACTIONS, JOB_TYPES } from './dock-job.entity.js';

/** What is to be done for a dock job: what its row says from the beginning. */
const Work = z.object({
  projectId: z.string(),
  targetId: z.string(),
  jobType: z.enum(JOB_TYPES),
  action: z.enum(ACTIONS),
  data: z.unknown(),
});

const RunDockJobData = z.object({
  dockJobId: z.string(),
  /** Jobs of the release before have none. */
  work: Work.optional(),
});
export type RunDockJobData = z.infer<typeof RunDockJobData>;

/** How often a kind of dock job is tried, its work says; this bounds what nobody does. */
export const MOST_ATTEMPTS = 1_000;

export const runDockJob = defineJob<RunDockJobData>('dock.run', {
  data: RunDockJobData,
  attempts: MOST_ATTEMPTS,
  backoff: (attempt) => Math.min(2 ** (attempt - 1), 30),
});
