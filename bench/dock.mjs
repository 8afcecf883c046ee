import pg from 'pg';
import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { median, ratiosOf, size, spread, table } from './measure.mjs';
import measureModels from './models.mjs';
import measureTools from './tools.mjs';
import { ToolsClient } from './tools-client.mjs';

/** @import { Environment } from './environment.mjs' */

const TARGET = 0.9;
const ROUNDS = size(5, 3);
const JOBS = size(100, 40);
/** The engine compiles a path only after some thousand jobs, or fewer where the paths share code. */
const WARM_UP_JOBS = size(3_000, 1_000);

/**
 * Compares a job of the dock, from its acceptance to SUCCESS, with the floor: a job of the same service that writes the
 * same rows by hand, with the same commits. Afterwards it measures tools and models that the dock has deployed.
 * @param {Environment} environment
 */
export default async function run(environment) {
  await measureJobs(environment);
  console.log();
  const areToolsWhole = await measureTools(environment);
  console.log();
  return (await measureModels(environment)) && areToolsWhole;
}

/** @param {Environment} environment */
async function measureJobs(environment) {
  // This process migrates the database and stops. The measured service has an extra job, but no migrations of its own.
  await (await environment.startService()).stop();
  const service = await environment.startService({}, inProject('bench', 'jobs-service.mjs'));
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  await database.connect();
  await database.query('create table bench_dock (id text primary key, state text not null)');
  await database.query('create table bench_audit (id text not null, change text not null)');
  await database.query(`insert into bench_dock values ('target', 'new')`);
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  const client = new ToolsClient(service.url, key);
  const toolId = await client.deploy([
    { id: 'start', type: 'start' },
    { id: 'end', type: 'end' },
  ]);
  const deploy = async () => {
    const { status } = await client.ask('POST', `/api/public/tools/${toolId}/deploy`, { isAsync: false });
    if (status !== 'SUCCESS') throw new Error(`A deployment ended ${status}`);
  };
  const byHand = (jobs = 1) => service.ask({ jobs, clients: 1, isByHand: true });
  await byHand(WARM_UP_JOBS);
  for (let n = 0; n < WARM_UP_JOBS; n += 1) await deploy();

  /** @type {{ dock: number[], floor: number[] }} */
  const found = { dock: [], floor: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await database.query(`delete from job where state = 'done'`);
    await database.query(`delete from bench_dock where id <> 'target'`);
    for (let n = 0; n < JOBS; n += 1) {
      await deploy();
      await byHand();
    }
    found.dock.push(await medianOf(database, 'dock.run'));
    found.floor.push(await medianOf(database, 'bench.by-hand'));
  }
  await database.end();
  await service.stop();

  const ratios = ratiosOf(found.floor, found.dock);
  console.log(`${ROUNDS} rounds of ${JOBS} deployments of a tool and as many jobs by hand, one after the other`);
  console.log(
    table([
      ['', 'from accepted to done, ms'],
      ['a job of the dock', spread(found.dock, 1)],
      ['the floor: a job with the same rows by hand', spread(found.floor, 1)],
      ['ratio, pair by pair', spread(ratios, 2)],
    ]),
  );
  environment.judge({
    work: 'dock: a job',
    ours: `${spread(found.dock, 1)} ms`,
    floor: `${spread(found.floor, 1)} ms, the same rows by hand`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
}

/**
 * The median is taken from the times in the jobs' rows.
 * @param {pg.Client} database
 * @param {string} job
 */
async function medianOf(database, job) {
  const { rows } = /** @type {pg.QueryResult<{ ms: number }>} */ (
    await database.query(
      `select percentile_cont(0.5) within group (order by extract(epoch from finished_at - created_at) * 1000) as ms
       from job where name = $1 and state = 'done'`,
      [job],
    )
  );
  return rows[0]?.ms ?? NaN;
}
