import { defineEvent, ownId, type PayloadOf } from 'slipway/plugin';
import { z } from 'zod';

export const KnowledgeBaseCreated = defineEvent(
  'knowledge-base.created',
  z
    .object({ knowledgeBaseId: ownId('knowledgeBase'), projectId: ownId('project') })
    .describe('A knowledge base was created.'),
);
export type KnowledgeBaseCreated = PayloadOf<typeof KnowledgeBaseCreated>;
