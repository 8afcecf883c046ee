import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { AgentVersion } from './agent.entity.js';

export const agentVersionList = defineList(AgentVersion, {
  sorts: { createdAt: 'id', version: 'number' },
  populate: ['agent'],
});
export type AgentVersionsRequest = RequestOf<typeof agentVersionList>;
