import { type SettingsOf, defineSlipwayPlugin } from 'slipway/plugin';
import { CreateKnowledgeBase } from './create-knowledge-base.migration.js';
import { knowledgePermissions } from './knowledge.permissions.js';
import { knowledgeSettings } from './knowledge.settings.js';

declare module 'slipway/plugin' {
  interface PluginIds {
    knowledgeBase: 'kb-';
    knowledgeDocument: 'kd-';
  }
  interface PluginPermissions extends Record<keyof typeof knowledgePermissions, true> {}
  interface PluginSettings extends SettingsOf<typeof knowledgeSettings> {}
}

export const acmeKnowledge = defineSlipwayPlugin({
  name: 'acme-knowledge',
  slipway: '^0.1.0',
  ids: { knowledgeBase: 'kb-', knowledgeDocument: 'kd-' },
  permissions: knowledgePermissions,
  settings: knowledgeSettings,
  migrations: [CreateKnowledgeBase],
  modules: () => import('./knowledge.module.js').then(({ KnowledgeModule }) => [KnowledgeModule]),
});
