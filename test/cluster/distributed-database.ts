import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { settingsFor } from '../support/settings.js';
import { distribute } from './command.js';
import { ask, coordinatorUrl, namesOfRun, nodes, urlOf } from './nodes.mjs';

const TEMPLATE = `${namesOfRun}_template`;
/** The number is arbitrary, but every worker of Jest must take the same one. */
const TEMPLATE_LOCK = 4712;
/** Two for each of two workers. More would make a database of many thousand files. */
const SHARDS = '4';

/**
 * Makes a migrated database for one test file, whose ledger is distributed. Copying the template on every node gives a
 * cluster of its own, because the nodes of a cluster find one another by host, port and the name of the database.
 */
export async function createDistributedDatabase(): Promise<string> {
  const name = newName();
  const all = await nodes();
  const client = new pg.Client({ connectionString: coordinatorUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (!rowCount) await makeTemplate(all);
    for (const node of all) await copyTemplate(node, name);
  } finally {
    await client.end();
  }
  return urlOf(name);
}

/** Makes a database on every node, in which the migrations have run and nothing is distributed yet. */
export async function createMigratedDatabase(name = newName()): Promise<string> {
  const url = await createDatabaseOfCluster(name);
  await migrateDatabase(settingsFor(url));
  return url;
}

/** Makes a database on every node of a cluster, in which no migration has run. */
export async function createDatabaseOfCluster(name = newName()): Promise<string> {
  const [coordinator = '', ...workers] = await nodes();
  for (const node of [coordinator, ...workers]) {
    await ask(node, 'set citus.enable_create_database_propagation = off', `create database ${name}`);
    await ask(inDatabase(node, name), 'create extension citus');
  }
  const url = urlOf(name);
  await ask(url, `select citus_set_coordinator_host(${asNode(coordinator)})`);
  for (const worker of workers) await ask(url, `select citus_add_node(${asNode(worker)})`);
  return url;
}

function newName(): string {
  return `${namesOfRun}_${randomBytes(4).toString('hex')}`;
}

async function makeTemplate([coordinator = '', ...workers]: readonly string[]): Promise<void> {
  const unfinished = `${TEMPLATE}_unfinished`;
  const url = await createMigratedDatabase(unfinished);
  const { status, output } = distribute('--database', url, '--shards', SHARDS);
  if (status !== 0) throw new Error(output);
  // The template gets its name last, and on the coordinator last, so that nothing copies a half-made one.
  for (const node of [...workers, coordinator]) await closeAndRename(node, unfinished);
}

/** Citus keeps connections to every database, and a database with connections cannot be renamed or copied. */
async function closeAndRename(node: string, unfinished: string): Promise<void> {
  await ask(node, `alter database ${unfinished} with allow_connections false`);
  const attempt = () =>
    ask(node, ...ending(unfinished), `alter database ${unfinished} rename to ${TEMPLATE}`).then(
      () => true,
      () => false,
    );
  await eventually(attempt, Boolean);
}

async function copyTemplate(node: string, name: string): Promise<void> {
  await ask(
    node,
    ...ending(TEMPLATE),
    'set citus.enable_create_database_propagation = off',
    `create database ${name} template ${TEMPLATE}`,
  );
}

function ending(database: string): string[] {
  return [`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`];
}

export function inDatabase(node: string, database: string): string {
  const url = new URL(node);
  url.pathname = `/${database}`;
  return url.href;
}

function asNode(node: string): string {
  const { hostname, port } = new URL(node);
  return `'${hostname}', ${port || 5432}`;
}
