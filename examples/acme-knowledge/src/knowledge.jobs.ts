import { defineJob, ownId } from 'slipway/plugin';
import { z } from 'zod';

export const countKnowledgeWords = defineJob('acme-knowledge.count-words', {
  queue: 'upkeep',
  data: z.object({ knowledgeBaseId: ownId('knowledgeBase') }),
  attempts: 10,
});

/** The workers run it every hour, and add it themselves. */
export const deleteOldDocuments = defineJob('acme-knowledge.delete-old-documents', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 10,
  every: 3600,
});
