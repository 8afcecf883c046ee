import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { Agent } from './agent.entity.js';

export const agentList = defineList(Agent, {
  sorts: { createdAt: 'id', modifiedAt: 'modifiedAt', name: 'name' },
});
export type AgentsRequest = RequestOf<typeof agentList>;
