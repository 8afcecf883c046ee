import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { ToolRun } from './tool-run.entity.js';

/** Its pages are read by a statement, because the views of runs are made of rows. */
export const toolRunList = defineList(ToolRun, { sorts: { createdAt: 'id' }, order: 'desc' });
export type ToolRunsRequest = RequestOf<typeof toolRunList>;
