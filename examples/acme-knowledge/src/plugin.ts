import { defineSlipwayPlugin } from 'slipway/plugin';
import { z } from 'zod';
import { CreateKnowledgeBase } from './create-knowledge-base.migration.js';

declare module 'slipway/plugin' {
  interface PluginIds {
    knowledgeBase: 'kb-';
  }
  interface PluginPermissions {
    KNOWLEDGE_READ: true;
    KNOWLEDGE_WRITE: true;
  }
  interface PluginSettings {
    ACME_KNOWLEDGE_BASES: number;
  }
}

export const acmeKnowledge = defineSlipwayPlugin({
  name: 'acme-knowledge',
  slipway: '^0.1.0',
  ids: { knowledgeBase: 'kb-' },
  permissions: {
    KNOWLEDGE_READ: { allows: 'Read knowledge bases.' },
    KNOWLEDGE_WRITE: { allows: 'Create and delete knowledge bases.', implies: ['KNOWLEDGE_READ'] },
  },
  settings: {
    ACME_KNOWLEDGE_BASES: z.coerce
      .number()
      .int()
      .min(1)
      .default(100)
      .describe('The most knowledge bases that a project may have.'),
  },
  migrations: [CreateKnowledgeBase],
  modules: () => import('./knowledge.module.js').then(({ KnowledgeModule }) => [KnowledgeModule]),
});
