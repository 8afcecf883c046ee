import { defineSettings } from 'slipway/plugin';
import { z } from 'zod';

export const knowledgeSettings = defineSettings({
  ACME_KNOWLEDGE_BASES: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe('The most knowledge bases that a project may have.'),
});
