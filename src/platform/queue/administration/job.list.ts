import { z } from 'zod';
import { defineList, type RequestOf } from '../../list/list.js';
import { Job } from '../job.entity.js';
import { Queue, ShownState, toTableState } from './jobs.admin.schema.js';

const text = z.string().min(1).max(512);

export const jobList = defineList(Job, {
  sorts: { createdAt: 'id' },
  order: 'desc',
  filters: {
    state: { schema: ShownState, where: (shown) => ({ state: toTableState(shown) }) },
    name: text.describe('The name of the job, such as `access.finish-revocation`.'),
    queue: Queue,
    projectId: text,
    lane: text,
  },
});
export type JobsRequest = RequestOf<typeof jobList>;
