import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrationOrmOptions } from '../../src/platform/database/orm-options.js';
import { migratePlugins, pendingMigrations } from '../../src/platform/database/plugin-migrations.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { settingsFor, type SettingsOfTest } from './settings.js';

const TEMPLATE = 'slipway_template';
/** The number is arbitrary, but every worker must take the same one. */
const TEMPLATE_LOCK = 4711;

let make = copyOfTemplate;

/** Makes a migrated database for one test file. */
export function createDatabase(): Promise<string> {
  return make();
}

/** Makes the databases of test files in another way, such as on a cluster. */
export function makeDatabasesBy(other: () => Promise<string>): void {
  make = other;
}

/** The first worker makes the template from which the databases are copied. */
async function copyOfTemplate(): Promise<string> {
  const name = newName();
  await withServer(async (server) => {
    await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await makeTemplate(server);
    await server.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
    await server.query(`create database ${name} template ${TEMPLATE}`);
  });
  return urlOf(name);
}

/** Restores a backup of a database that nothing uses at the moment, under another name. */
export async function copyDatabase(url: string): Promise<string> {
  const [name, original] = [newName(), new URL(url).pathname.slice(1)];
  await withServer((server) => server.query(`create database ${name} template ${original}`));
  return urlOf(name);
}

/** Makes a database in which no migration has run. */
export async function createEmptyDatabase(): Promise<string> {
  const name = newName();
  await withServer((server) => server.query(`create database ${name}`));
  return urlOf(name);
}

function newName(): string {
  return `slipway_${randomBytes(8).toString('hex')}`;
}

async function makeTemplate(server: pg.Client): Promise<void> {
  const { rowCount } = await server.query('select from pg_database where datname = $1', [TEMPLATE]);
  if (rowCount) return;
  const unfinished = `${TEMPLATE}_of_${process.pid}`;
  await server.query(`create database ${unfinished}`);
  await migrateDatabase(settingsFor(urlOf(unfinished)));
  // The template gets its name last, so that nothing copies the half-made one of a worker that died.
  await server.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
}

/** Applies all migrations: Slipway's own, and then those of the plugins of this process. */
export async function migrateDatabase(settings: SettingsOfTest): Promise<void> {
  const checked = readSettings(settings);
  const orm = new MikroORM(migrationOrmOptions(checked));
  await orm.migrator.up();
  const pending = await pendingMigrations(orm);
  await orm.close();
  await migratePlugins(checked, new Set(pending));
}

/** Drops a database, which takes half a second. Tests of this project leave theirs in a folder that is deleted. */
export async function dropDatabase(url: string): Promise<void> {
  await withServer((server) => server.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`));
}

async function withServer(work: (server: pg.Client) => Promise<unknown>): Promise<void> {
  const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await server.connect();
  try {
    await work(server);
  } finally {
    await server.end();
  }
}

function urlOf(name: string): string {
  const url = new URL(process.env.TEST_POSTGRES_URL!);
  url.pathname = `/${name}`;
  return url.href;
}
