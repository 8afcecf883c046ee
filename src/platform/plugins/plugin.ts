import type { Migration } from '@mikro-orm/migrations';
import type { Type } from '@nestjs/common';
import type { z } from 'zod';
import type { PermissionSpec } from '../../kernel/permissions.js';

/** Modules of another repository that run in the same service as Slipway's own. */
export interface SlipwayPlugin {
  /** Small letters, digits and hyphens. Migrations are recorded under this name, so it never changes. */
  readonly name: string;
  /** The versions of Slipway that the plugin works with, such as `^1.2.0`. */
  readonly slipway: string;
  /** The kinds of ids with their prefixes: `{ knowledgeBase: 'kb-' }`. */
  readonly ids?: Readonly<Record<string, string>>;
  /** The permissions that scopes can grant in addition, with what each allows. */
  readonly permissions?: Readonly<Record<string, PermissionSpec>>;
  /** The settings. Their names begin with the name of the plugin: `ACME_KNOWLEDGE_…` for `acme-knowledge`. */
  readonly settings?: z.ZodRawShape;
  /** The migrations in their order. Each is recorded under the name of its class. */
  readonly migrations?: readonly Type<Migration>[];
  /**
   * Loads the modules, with `() => import('./knowledge.module.js').then((file) => [file.KnowledgeModule])`. They are
   * loaded after everything above is known, because their routes and schemas use it.
   */
  readonly modules: () => Promise<readonly Type[]>;
}

/**
 * Returns the schemas unchanged. The name of each begins with the name of the plugin: `ACME_KNOWLEDGE_…` for
 * `acme-knowledge`. `SettingsOf` has their types.
 */
export function defineSettings<const Schemas extends z.ZodRawShape>(schemas: Schemas): Schemas {
  return schemas;
}

/** The values of settings, by which a plugin extends the interface `PluginSettings`. */
export type SettingsOf<Schemas extends z.ZodRawShape> = z.output<z.ZodObject<Schemas>>;

/** Returns the plugin as sentences name it. */
export function ownerNameOf({ name }: SlipwayPlugin): string {
  return `the plugin ${name}`;
}

export interface SlipwayConfig {
  /** Their migrations run in this order. */
  readonly plugins: readonly SlipwayPlugin[];
}

/** Returns the plugin unchanged. The function lets editors and the compiler check it. */
export function defineSlipwayPlugin(plugin: SlipwayPlugin): SlipwayPlugin {
  return plugin;
}

/** Returns the configuration unchanged, for the default export of `slipway.config.ts`. */
export function defineSlipwayConfig(config: SlipwayConfig): SlipwayConfig {
  return config;
}
