import type { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import { StartError } from '../../kernel/start-error.js';
import type { Settings } from '../config/settings.js';
import { installedPlugins } from '../plugins/installed-plugins.js';
import type { SlipwayPlugin } from '../plugins/plugin.js';
import { migrationOrmOptions } from './orm-options.js';
import { withoutRefusingReferences } from './plugin-references.js';

interface NamedMigration {
  readonly name: string;
  readonly class: Type<Migration>;
}

/** Returns the names of the migrations that have not been applied: Slipway's own, and then those of each plugin. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const own = await orm.migrator.getPending();
  const executed = new Set((await orm.migrator.getExecuted()).map(({ name }) => name));
  const ofPlugins = installedPlugins().flatMap((plugin) => migrationsOf(plugin).map(({ name }) => name));
  return [...own.map(({ name }) => name), ...ofPlugins.filter((name) => !executed.has(name))];
}

/** Applies these migrations of the plugins, those of one plugin after those of another. */
export async function migratePlugins(settings: Settings, pending: ReadonlySet<string>): Promise<void> {
  for (const plugin of installedPlugins()) {
    const migrations = migrationsOf(plugin).filter(({ name }) => pending.has(name));
    if (migrations.length > 0) await migratePlugin(plugin.name, migrations, settings);
  }
}

/**
 * The migrations commit together, so that a plugin that fails half way has changed nothing. If one of them runs without a
 * transaction, each of them commits by itself.
 */
async function migratePlugin(plugin: string, migrations: readonly NamedMigration[], settings: Settings): Promise<void> {
  const options = migrationOrmOptions(settings);
  const allOrNothing = migrations.every(({ class: migration }) => isTransactional(migration));
  const orm = await MikroORM.init({
    ...options,
    migrations: { ...options.migrations, migrationsList: migrations.map(checked), allOrNothing },
  });
  let current = '';
  orm.migrator.on('migrating', ({ name }) => void (current = name.slice(name.indexOf('/') + 1)));
  try {
    await orm.migrator.up();
  } catch (error) {
    const what = current ? `The migration ${current}` : 'The first migration';
    throw new StartError(`${what} of the plugin ${plugin} failed: ${(error as Error).message}`, { cause: error });
  } finally {
    await orm.close();
  }
}

function migrationsOf({ name, migrations = [] }: SlipwayPlugin): NamedMigration[] {
  return migrations.map((migration) => ({ name: `${name}/${migration.name}`, class: migration }));
}

function checked({ name, class: migration }: NamedMigration): NamedMigration {
  return { name, class: withoutRefusingReferences(migration) };
}

function isTransactional({ prototype }: Type<Migration>): boolean {
  return (prototype as Migration).isTransactional();
}
