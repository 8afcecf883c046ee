import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runQuietly } from '../command.mjs';
import { writePrivateFile } from '../private-file.mjs';
import { StartError } from '../start-error.mjs';

/** @import { Home } from './postgres-home.mjs' */

/**
 * @typedef {object} Cluster
 * @property {string} folder
 * @property {string} password
 * @property {{ initdb: string, postgres: string }} binaries
 * @property {{ cwd: string, env: NodeJS.ProcessEnv, uid?: number, gid?: number }} spawnOptions
 */

/**
 * Opens the cluster of a home, and creates it if it is missing.
 * @param {object} options
 * @param {Home} options.home
 * @param {boolean} options.durable
 * @param {(line: string) => void} options.log
 * @param {(folder: string) => Promise<void>} options.beforeUse called before the cluster is used
 * @returns {Promise<Cluster>}
 */
export async function openCluster({ home, durable, log, beforeUse }) {
  const folder = join(home.path, 'cluster');
  const passwordFile = join(home.path, 'password');
  const known = existsSync(passwordFile);
  const password = known ? readFileSync(passwordFile, 'utf8').trim() : randomBytes(24).toString('base64url');
  const cluster = { folder, password, binaries: home.binaries, spawnOptions: spawnOptions(home) };

  if (!existsSync(folder)) {
    log('Creating the database');
    await create(cluster, durable);
  } else {
    refuseOtherMajor(home);
    await beforeUse(folder);
    if (!known) await execute(cluster, folder, `ALTER ROLE slipway PASSWORD '${password}'`);
  }
  if (!known) writePrivateFile(passwordFile, `${password}\n`);
  return cluster;
}

/**
 * The cluster is built under another name and then renamed, so that an interrupted start leaves no incomplete cluster.
 * @param {Cluster} cluster
 * @param {boolean} durable
 */
async function create(cluster, durable) {
  const unfinished = nameAside(cluster.folder);
  await runQuietly(
    cluster.binaries.initdb,
    [
      ...['--pgdata', unfinished, '--username', 'postgres', '--auth', 'reject'],
      // The collation is the same on every system, whatever locales it has.
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...cluster.spawnOptions, failure: 'PostgreSQL could not create its data folder' },
  );
  await execute(cluster, unfinished, `CREATE ROLE slipway LOGIN CREATEDB PASSWORD '${cluster.password}'`);
  await execute(cluster, unfinished, 'CREATE DATABASE slipway OWNER slipway');
  // There is no line for the superuser, so it cannot log in.
  writeFileSync(join(unfinished, 'pg_hba.conf'), 'host all slipway 127.0.0.1/32 scram-sha-256\n');
  renameSync(unfinished, cluster.folder);
}

/**
 * Each start gets a new folder, because the initdb of a killed start may still write into its own.
 * @param {string} folder
 */
function nameAside(folder) {
  const home = dirname(folder);
  const abandoned = readdirSync(home).filter((name) => name.startsWith('unfinished-'));
  for (const name of abandoned) rmSync(join(home, name), { recursive: true, force: true, maxRetries: 10 });
  return join(home, `unfinished-${randomBytes(6).toString('hex')}`);
}

/**
 * Runs one statement in a cluster whose server is not running.
 * @param {Cluster} cluster
 * @param {string} folder
 * @param {string} statement
 */
async function execute(cluster, folder, statement) {
  const said = await runQuietly(cluster.binaries.postgres, ['--single', '-D', folder, 'postgres'], {
    ...cluster.spawnOptions,
    input: `${statement}\n`,
    failure: 'PostgreSQL could not set up its database',
  });
  // In this mode, a failed statement does not change the exit code.
  if (/\b(ERROR|FATAL):/.test(said)) throw new StartError(`PostgreSQL could not set up its database:\n${said}`);
}

/** @param {Home} home */
function refuseOtherMajor(home) {
  const found = readFileSync(join(home.path, 'cluster', 'PG_VERSION'), 'utf8').trim();
  const [ours] = home.version.split('.');
  if (found === ours) return;
  throw new StartError(
    `${home.path} was made by PostgreSQL ${found}; this Slipway runs PostgreSQL ${ours}, which cannot read it. ` +
      `To keep the data, start the Slipway that made it and save them with pg_dump (launcher.json has the address). ` +
      `Then move the folder away, start this one and load the dump. For an empty database, only move the folder away.`,
  );
}

/**
 * @param {Home} home
 * @returns {Cluster['spawnOptions']}
 */
function spawnOptions({ path, uid, gid }) {
  // The user's PG… variables are for another database and would change the defaults of this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')));
  return { cwd: path, env: { ...env, LC_ALL: 'C', TZ: 'UTC' }, ...(uid === undefined ? {} : { uid, gid }) };
}
