import type { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import { StartError } from '../../kernel/start-error.js';
import type { Settings } from '../config/settings.js';
import { installedPlugins, ownerOfTable } from '../plugins/installed-plugins.js';
import { asSentence } from '../plugins/names.js';
import type { SlipwayPlugin } from '../plugins/plugin.js';
import { migrationOrmOptions } from './orm-options.js';
import { withoutRefusingReferences } from './plugin-references.js';

/** The code of PostgreSQL for a table or an index that exists already. */
const DUPLICATE = '42P07';
const RELATIONS = 'select relname from pg_class where relnamespace = current_schema::regnamespace';

interface NamedMigration {
  readonly name: string;
  readonly class: Type<Migration>;
}

/** Tables and indexes with the plugin that made them now. If they have no entity, nothing else knows whose they are. */
type Owners = Map<string, string | undefined>;

/** Returns the names of the migrations that have not been applied: Slipway's own, and then those of each plugin. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const own = await orm.migrator.getPending();
  const executed = new Set((await orm.migrator.getExecuted()).map(({ name }) => name));
  const ofPlugins = installedPlugins().flatMap((plugin) => migrationsOf(plugin).map(({ name }) => name));
  return [...own.map(({ name }) => name), ...ofPlugins.filter((name) => !executed.has(name))];
}

/** Applies these migrations of the plugins, those of one plugin after those of another. */
export async function migratePlugins(settings: Settings, pending: ReadonlySet<string>): Promise<void> {
  const made: Owners = new Map();
  for (const plugin of installedPlugins()) {
    const migrations = migrationsOf(plugin).filter(({ name }) => pending.has(name));
    if (migrations.length > 0) await migratePlugin(plugin.name, migrations, settings, made);
  }
}

/**
 * The migrations commit together, so that a plugin that fails half way has changed nothing. If one of them runs without a
 * transaction, each of them commits by itself.
 */
async function migratePlugin(
  plugin: string,
  migrations: readonly NamedMigration[],
  settings: Settings,
  made: Owners,
): Promise<void> {
  const options = migrationOrmOptions(settings);
  const allOrNothing = migrations.every(({ class: migration }) => isTransactional(migration));
  const orm = await MikroORM.init({
    ...options,
    migrations: { ...options.migrations, migrationsList: migrations.map(checked), allOrNothing },
  });
  await noteRelations(orm, made);
  let current = '';
  orm.migrator.on('migrating', ({ name }) => void (current = name.slice(name.indexOf('/') + 1)));
  try {
    await orm.migrator.up();
    await noteRelations(orm, made, `the plugin ${plugin}`);
  } catch (error) {
    const what = current ? `The migration ${current}` : 'The first migration';
    const reason = reasonOf(error as Error, `the plugin ${plugin}`, made);
    throw new StartError(`${what} of the plugin ${plugin} failed: ${reason}`, { cause: error });
  } finally {
    await orm.close();
  }
}

/** Says whose a table is that the migration would make again, as far as that is known. */
function reasonOf(error: Error & { code?: string }, plugin: string, made: Owners): string {
  const [, name] = /relation "([^"]+)" already exists/.exec(error.message) ?? [];
  if (error.code !== DUPLICATE || name === undefined) return error.message;
  const owner = ownerOfTable(name) ?? made.get(name);
  if (owner === undefined || owner === plugin)
    return `${name} exists already. Give yours another name, or drop it if an earlier installation left it.`;
  return asSentence(`${owner} has ${name} already. Rename one of them.`);
}

/** Notes the relations that were not there the last time as made by this owner. */
async function noteRelations(orm: MikroORM, made: Owners, owner?: string): Promise<void> {
  for (const { relname } of await orm.em.execute<{ relname: string }[]>(RELATIONS))
    if (!made.has(relname)) made.set(relname, owner);
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
