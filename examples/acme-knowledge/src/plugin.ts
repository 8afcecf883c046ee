import { defineSlipwayPlugin } from 'slipway/plugin';
import { z } from 'zod';
import { CreateKnowledgeBase } from './create-knowledge-base.migration.js';
import { knowledgePermissions } from './knowledge.permissions.js';

declare module 'slipway/plugin' {
  interface PluginIds {
    knowledgeBase: 'kb-';
    knowledgeDocument: 'kd-';
  }
  interface PluginPermissions extends Record<keyof typeof knowledgePermissions, true> {}
  interface PluginSettings {
    ACME_KNOWLEDGE_BASES: number;
  }
}

export const acmeKnowledge = defineSlipwayPlugin({
  name: 'acme-knowledge',
  slipway: '^0.1.0',
  ids: { knowledgeBase: 'kb-', knowledgeDocument: 'kd-' },
  permissions: knowledgePermissions,
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
