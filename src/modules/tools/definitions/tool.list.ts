import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { Tool } from './tool.entity.js';

export const toolList = defineList(Tool, {
  sorts: { createdAt: 'id', modifiedAt: 'modifiedAt', toolName: 'name' },
});
export type ToolsRequest = RequestOf<typeof toolList>;
