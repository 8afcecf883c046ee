import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { runQuietly } from '../scripts/command.mjs';
import { inProject } from '../scripts/project.mjs';
import { StartError } from '../scripts/start-error.mjs';
import { Administration } from './administration.mjs';
import { copyToNaive, fill } from './ledger-fill.mjs';

/** @import { Environment, Program } from './environment.mjs' */

/** The calls that a run has written: the largest project has an app, and the calls end at a time. */
/** @typedef {{ appId: string, until: Date, rows: number, projects: number }} Written */

const SCOPE = 'benchmark';

/**
 * Starts the service on a ledger of so many calls, which is written unless an earlier run has done so in the same
 * database. On a cluster, the ledger is distributed first.
 * @param {Environment} environment
 * @param {NodeJS.ProcessEnv} settings
 * @param {{ rows: number | undefined, projects: number | undefined }} wanted as the command line says
 * @param {{ rows: number, projects: number }} otherwise
 */
export async function prepare(environment, settings, wanted, otherwise) {
  const { databaseUrl } = environment;
  const earlier = await readWritten(databaseUrl);
  if (earlier) refuseOtherSize(earlier, wanted);
  // The files of the run that wrote the calls were in a folder that is gone.
  if (earlier) await ask(databaseUrl, 'delete from storage_place');
  const service = await environment.startService(settings);
  const administration = new Administration(service.url, environment.adminKey);
  const written =
    earlier ??
    (await write(databaseUrl, administration, {
      rows: wanted.rows ?? otherwise.rows,
      projects: wanted.projects ?? otherwise.projects,
    }));
  // An earlier run has also measured writing, so its ledger has calls that the naive table lacks.
  if (earlier) await copyToNaive(databaseUrl, await administration.projectOf(written.appId));
  const { apikey: key } = await administration.makeKey(written.appId, SCOPE, randomBytes(8).toString('hex'));
  const projectId = await administration.projectOf(written.appId);
  const now = written.until.getTime();
  return { service: await onCluster(environment, service, settings), projectId, key, now };
}

/** @param {string} databaseUrl */
async function readWritten(databaseUrl) {
  const [found] = await ask(databaseUrl, `select to_regclass('bench_ledger') is not null as "isThere"`);
  if (!(/** @type {{ isThere: boolean }} */ (found).isThere)) return undefined;
  const [written] = await ask(databaseUrl, 'select app_id as "appId", until, rows, projects from bench_ledger');
  return /** @type {Written} */ (written);
}

/**
 * @param {Written} earlier
 * @param {{ rows: number | undefined, projects: number | undefined }} wanted
 */
function refuseOtherSize({ rows, projects }, wanted) {
  const there = `${rows.toLocaleString('en')} calls in ${projects} projects`;
  if ((wanted.rows ?? rows) !== rows || (wanted.projects ?? projects) !== projects) {
    throw new StartError(
      `An earlier run has written ${there} to this database. Leave out --rows and --projects, or name an empty database.`,
    );
  }
  console.log(`Measuring the ${there} that an earlier run has written`);
}

/**
 * @param {string} databaseUrl
 * @param {Administration} administration
 * @param {{ rows: number, projects: number }} wanted
 * @returns {Promise<Written>}
 */
async function write(databaseUrl, administration, { rows, projects }) {
  const appId = await administration.makeApp();
  await administration.makeScope(appId, SCOPE, ['analytics:read', 'analytics:write']);
  const projectId = await administration.projectOf(appId);
  const until = new Date();
  console.log(`Writing ${rows.toLocaleString('en')} calls of 90 days in ${projects} projects`);
  const begun = performance.now();
  await fill(databaseUrl, projectId, rows, until.getTime(), projects);
  await copyToNaive(databaseUrl, projectId);
  await ask(
    databaseUrl,
    `create table bench_ledger as select '${appId}' as app_id, '${until.toISOString()}'::timestamptz as until,
       ${rows}::integer as rows, ${projects}::integer as projects`,
  );
  console.log(`Written in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return { appId, until, rows, projects };
}

/**
 * @param {Environment} environment
 * @param {Program} service
 * @param {NodeJS.ProcessEnv} settings
 */
async function onCluster(environment, service, settings) {
  if (!environment.isCluster) return service;
  // A ledger is not distributed while a process of Slipway uses it.
  await service.stop();
  const begun = performance.now();
  const failure = 'The ledger could not be distributed';
  await runQuietly(process.execPath, [inProject('scripts', 'distribute.mjs'), '--database', environment.databaseUrl], {
    failure,
  });
  await ask(environment.databaseUrl, 'vacuum analyze');
  console.log(`Distributed and vacuumed in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return environment.startService(settings);
}

/**
 * @param {string} databaseUrl
 * @param {string} text
 * @returns {Promise<object[]>}
 */
async function ask(databaseUrl, text) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(text);
    return rows.map((/** @type {object} */ row) => row);
  } finally {
    await client.end();
  }
}
