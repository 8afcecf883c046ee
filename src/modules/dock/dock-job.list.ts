import { z } from 'zod';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { DockJob, DOCK_STATUSES, JOB_TYPES } from './dock-job.entity.js';

export const dockJobList = defineList(DockJob, {
  sorts: { createdAt: 'id' },
  order: 'desc',
  filters: {
    status: z.enum(DOCK_STATUSES),
    jobType: z.enum(JOB_TYPES),
    targetId: z.string().describe('The id of the tool or the model.'),
  },
});
export type DockJobsRequest = RequestOf<typeof dockJobList>;
