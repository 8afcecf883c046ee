// Distributes the tables of the ledger over the workers of a Citus cluster. docs/scale.md says how it is used.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { CopiedRows } from './distribute/copied-rows.mjs';
import { refuseUnfit } from './distribute/fitness.mjs';
import { distributeTable, TABLES } from './distribute/tables.mjs';
import { say, watched } from './progress.mjs';
import { explain, StartError } from './start-error.mjs';

/** The advisory lock of migrations, as in src/platform/database/migrate.ts. */
const MIGRATION_LOCK = 0x736c6970;
const LOOK_AGAIN_MS = 200;

const USAGE = `Usage: npm run distribute [-- --database postgresql://… --shards 32]

  --database  the database of Slipway on the coordinator; unless given, DATABASE_URL
  --shards    the number of parts of each table; it cannot be changed by running the command again`;

try {
  const { database, shards, isHelp } = readArguments();
  if (isHelp) console.log(USAGE);
  else await distribute(database, shards);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: process.env.DATABASE_URL ?? '' },
      shards: { type: 'string', default: '32' },
      help: { type: 'boolean', default: false },
    },
  });
  const shards = Number(values.shards);
  if (!values.help && !values.database) throw new StartError(`Set DATABASE_URL, or give --database.\n\n${USAGE}`);
  if (!Number.isInteger(shards) || shards < 1) throw new StartError(`--shards is a number from 1.\n\n${USAGE}`);
  return { database: values.database, shards, isHelp: values.help };
}

/**
 * Distributes one table after the other. If this ends early, running it again continues with the next one.
 * @param {string} database
 * @param {number} shards
 */
async function distribute(database, shards) {
  const [client, watcher] = [await connect(database), await connect(database)];
  const copied = new CopiedRows(watcher);
  const howFar = async () => `${(await copied.count()).toLocaleString('en')} rows of the ledger copied`;
  try {
    await takeTurn(client);
    await refuseUnfit(client);
    for (const [at, table] of TABLES.entries()) {
      const name = `${at + 1}/${TABLES.length} ${table}`;
      const outcome = await watched(say, name, howFar, () => distributeTable(client, table, shards));
      say(`${name}: ${outcome}`);
    }
  } finally {
    await Promise.all([client.end(), watcher.end()]);
  }
}

/**
 * Takes the lock of migrations until the connection ends, so that a process of Slipway that starts meanwhile waits. It
 * would fail on tables of which only some are distributed.
 * @param {import('pg').Client} client
 */
async function takeTurn(client) {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
    if (/** @type {{ taken: boolean }[]} */ (rows)[0]?.taken) return;
    if (tries === 0)
      console.log('Waiting for a migration or another run of this command, or for the end of one that was killed');
    await wait(LOOK_AGAIN_MS);
  }
}

/** @param {string} connectionString */
async function connect(connectionString) {
  const client = new pg.Client({ connectionString, application_name: 'distribute', connectionTimeoutMillis: 10_000 });
  // A connection that is lost fails its statement, which reports the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new StartError(`The database does not answer: ${/** @type {Error} */ (error).message}`);
  }
}
