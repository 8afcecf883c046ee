import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { StartError } from '../../kernel/start-error.js';
import { installedPlugins } from '../plugins/installed-plugins.js';

/** Returns the names of the migrations that have not been applied: Slipway's own, and then those of each plugin. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const own = await orm.migrator.getPending();
  const executed = new Set((await orm.migrator.getExecuted()).map(({ name }) => name));
  const ofPlugins = migrationsOfPlugins().map(({ name }) => name);
  return [...own.map(({ name }) => name), ...ofPlugins.filter((name) => !executed.has(name))];
}

/** Applies the migrations of the plugins, one by one, so that a failure names the one that failed. */
export async function migratePlugins(options: Options): Promise<void> {
  const migrations = migrationsOfPlugins();
  if (migrations.length === 0) return;
  const orm = await MikroORM.init({
    ...options,
    migrations: { ...options.migrations, migrationsList: migrations },
  });
  try {
    for (const { name } of await orm.migrator.getPending()) await apply(orm, name);
  } finally {
    await orm.close();
  }
}

async function apply(orm: MikroORM, name: string): Promise<void> {
  try {
    await orm.migrator.up({ migrations: [name] });
  } catch (error) {
    const [plugin, migration] = name.split('/');
    throw new StartError(`The migration ${migration} of the plugin ${plugin} failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function migrationsOfPlugins() {
  return installedPlugins().flatMap((plugin) =>
    (plugin.migrations ?? []).map((migration) => ({ name: `${plugin.name}/${migration.name}`, class: migration })),
  );
}
