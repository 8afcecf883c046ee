import { StartError } from '../start-error.mjs';
import { TABLES } from './tables.mjs';

/** The oldest version with which the tests of the ledger have run. */
const OLDEST = '14.0';

/**
 * Refuses a database whose tables cannot be distributed, with what would make it fit.
 * @param {import('pg').Client} client
 */
export async function refuseUnfit(client) {
  await refuseWithoutCitus(client);
  await refuseWithoutWorkers(client);
  await refuseWithoutTables(client);
  await refuseWhileInUse(client);
}

/** @param {import('pg').Client} client */
async function refuseWithoutCitus(client) {
  const { rows } = await client.query("select extversion as version from pg_extension where extname = 'citus'");
  const citus = /** @type {{ version: string }[]} */ (rows)[0];
  if (!citus)
    throw new StartError(
      'The database has no extension citus. Run CREATE EXTENSION citus in it, and in the database of the same name of each worker.',
    );
  if (Number.parseFloat(citus.version) < Number(OLDEST))
    throw new StartError(`Citus ${citus.version} is too old. Slipway needs ${OLDEST} or later.`);
}

/** @param {import('pg').Client} client */
async function refuseWithoutWorkers(client) {
  const { rows } = await client.query(`
    select exists (select from pg_dist_local_group where groupid <> 0) as "isWorker",
           exists (select from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary') as "hasWorkers"`);
  const node = /** @type {{ isWorker: boolean, hasWorkers: boolean }[]} */ (rows)[0];
  if (node?.isWorker) throw new StartError('This is a worker. Give the address of the coordinator.');
  if (!node?.hasWorkers)
    throw new StartError(
      'The cluster has no workers. Run citus_set_coordinator_host and then citus_add_node for each, as docs/scale.md shows.',
    );
}

/** @param {import('pg').Client} client */
async function refuseWithoutTables(client) {
  const { rows } = await client.query(
    `select name from unnest($1::text[]) with ordinality as wanted (name, place)
     where to_regclass(name) is null order by place`,
    [TABLES],
  );
  const missing = /** @type {{ name: string }[]} */ (rows).map(({ name }) => name);
  if (missing.length > 0)
    throw new StartError(
      `These tables are missing: ${missing.join(', ')}. Start Slipway once with this database, which makes them.`,
    );
}

/**
 * A statement that reads two tables fails while only one of them is distributed.
 * @param {import('pg').Client} client
 */
async function refuseWhileInUse(client) {
  const { rows } = await client.query(`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name like 'slipway%'`);
  const count = /** @type {{ count: number }[]} */ (rows)[0]?.count ?? 0;
  if (count > 0) throw new StartError(`Slipway has ${count} connections to the database. Stop its processes first.`);
}
