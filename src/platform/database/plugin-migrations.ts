import type { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import { StartError } from '../../kernel/start-error.js';
import type { Settings } from '../config/settings.js';
import { installedPlugins } from '../plugins/installed-plugins.js';
import type { SlipwayPlugin } from '../plugins/plugin.js';
import { migrationOrmOptions } from './orm-options.js';

/** Returns the names of the migrations that have not been applied: Slipway's own, and then those of each plugin. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const own = await orm.migrator.getPending();
  const executed = new Set((await orm.migrator.getExecuted()).map(({ name }) => name));
  const ofPlugins = installedPlugins().flatMap((plugin) => migrationsOf(plugin).map(({ name }) => name));
  return [...own.map(({ name }) => name), ...ofPlugins.filter((name) => !executed.has(name))];
}

/** Applies the migrations of the plugins, one plugin after the other. */
export async function migratePlugins(settings: Settings): Promise<void> {
  for (const plugin of installedPlugins()) await migratePlugin(plugin, settings);
}

/**
 * The pending migrations of a plugin commit together, so that a plugin that fails half way has changed nothing. If one
 * of them runs without a transaction, each of them commits by itself.
 */
async function migratePlugin(plugin: SlipwayPlugin, settings: Settings): Promise<void> {
  const migrations = migrationsOf(plugin);
  if (migrations.length === 0) return;
  const options = migrationOrmOptions(settings);
  const allOrNothing = migrations.every(({ class: migration }) => isTransactional(migration));
  const orm = await MikroORM.init({
    ...options,
    migrations: { ...options.migrations, migrationsList: migrations, allOrNothing },
  });
  let current = '';
  orm.migrator.on('migrating', ({ name }) => void (current = name));
  try {
    await orm.migrator.up();
  } catch (error) {
    const migration = current.slice(current.indexOf('/') + 1);
    throw new StartError(
      `The migration ${migration} of the plugin ${plugin.name} failed: ${(error as Error).message}`,
      { cause: error },
    );
  } finally {
    await orm.close();
  }
}

function migrationsOf({ name, migrations = [] }: SlipwayPlugin) {
  return migrations.map((migration) => ({ name: `${name}/${migration.name}`, class: migration }));
}

function isTransactional({ prototype }: Type<Migration>): boolean {
  return (prototype as Migration).isTransactional();
}
