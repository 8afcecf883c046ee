import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';
import { ACTIONS, JOB_TYPES } from './dock-job.entity.js';

/** The work of a dock job, which is a copy of the members of its row that never change. */
const Work = z.object({
  projectId: z.string(),
  targetId: z.string(),
  jobType: z.enum(JOB_TYPES),
  action: z.enum(ACTIONS),
  data: z.unknown(),
});

const RunDockJobData = z.object({
  dockJobId: z.string(),
  /** Jobs that the release before has added have no work. */
  work: Work.optional(),
});
export type RunDockJobData = z.infer<typeof RunDockJobData>;

/** The limit for work that no process knows. For all other work, its `DockWorkOptions` limit the attempts. */
export const MOST_ATTEMPTS = 1_000;

export const runDockJob = defineJob<RunDockJobData>('dock.run', {
  queue: 'dock',
  data: RunDockJobData,
  attempts: MOST_ATTEMPTS,
  backoff: (attempt) => Math.min(2 ** (attempt - 1), 30),
});
