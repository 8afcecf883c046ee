import { defineJob, ownId } from 'slipway/plugin';
import { z } from 'zod';

export const countKnowledgeWords = defineJob('acme-knowledge.count-words', {
  queue: 'upkeep',
  data: z.object({ knowledgeBaseId: ownId('knowledgeBase') }),
  attempts: 10,
});
