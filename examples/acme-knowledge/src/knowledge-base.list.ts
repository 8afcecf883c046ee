import { defineList, type RequestOf } from 'slipway/plugin';
import { KnowledgeBase } from './knowledge-base.entity.js';

export const knowledgeBaseList = defineList(KnowledgeBase, { sorts: { createdAt: 'id', name: 'name' } });
export type KnowledgeBasesRequest = RequestOf<typeof knowledgeBaseList>;
