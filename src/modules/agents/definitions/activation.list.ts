import { toId } from '../../../kernel/ids.js';
import { id } from '../../../kernel/schema.js';
import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { Activation } from './activation.entity.js';

export const activationList = defineList(Activation, {
  key: 'number',
  sorts: { activatedAt: 'number' },
  order: 'desc',
  filters: {
    agentId: { schema: id('agent'), where: (agentId) => ({ version: { agent: toId('agent', agentId) } }) },
    appVersionId: { schema: id('agentVersion'), where: (versionId) => ({ version: toId('agentVersion', versionId) }) },
  },
  populate: ['version'],
});
export type ActivationsRequest = RequestOf<typeof activationList>;
