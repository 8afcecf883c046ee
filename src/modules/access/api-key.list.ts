import { toId } from '../../kernel/ids.js';
import { id } from '../../kernel/schema.js';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { ApiKey } from './api-key.entity.js';

export const apiKeyList = defineList(ApiKey, {
  sorts: { createdAt: 'id', apiKeyName: 'name', expiresAt: 'expiresAt' },
  filters: { scopeId: { schema: id('scope'), where: (scopeId) => ({ scope: toId('scope', scopeId) }) } },
  populate: ['scope', 'use'],
});
export type ApiKeysRequest = RequestOf<typeof apiKeyList>;
