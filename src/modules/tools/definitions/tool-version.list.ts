import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { ToolVersion } from './tool-version.entity.js';

export const toolVersionList = defineList(ToolVersion, {
  sorts: { createdAt: 'id', number: 'number' },
  order: 'desc',
});
export type ToolVersionsRequest = RequestOf<typeof toolVersionList>;
