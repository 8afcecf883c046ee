/* eslint-disable @typescript-eslint/no-empty-object-type -- A plugin adds its members by declaration merging. */

/** The kinds of ids of plugins, each with its prefix: `{ knowledgeBase: 'kb-' }`. */
export interface PluginIds {}

/** The permissions of plugins: `{ KNOWLEDGE_READ: true }`. */
export interface PluginPermissions {}

/** The settings of plugins with the types that they have after validation: `{ ACME_LIMIT: number }`. */
export interface PluginSettings {}
