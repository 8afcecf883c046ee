import pg from 'pg';
import { inProject } from '../scripts/project.mjs';
import { median, spread, table } from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Result } from './jobs-floor.mjs' */

const TARGET = 0.8;
const SLOTS = '16';
const WARM_JOBS = 1_500;
const ROUNDS = 9;
const JOBS = 2_000;
/** Pick-up is measured with one client and an idle worker, so that no job is queued. */
const CALM_JOBS = 200;
const CLIENTS = 16;

/**
 * Compares accepting and running a job, effect included, with bare Bull and the same rows and commits by hand.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const settings = { WORKER_SLOTS: SLOTS, LOG_LEVEL: 'warn' };
  // This process migrates the database and stops. The measured service has an extra job, but no migrations of its own.
  await (await environment.startService(settings)).stop();
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  await database.connect();
  await database.query('create table bench_effect (id text not null)');
  await database.query(`
    create table bench_floor_job (
      id text collate "C" primary key, name text not null, project_id text, data jsonb not null, state text not null,
      run_at timestamptz not null, created_at timestamptz not null, finished_at timestamptz)`);

  const floor = await environment.startFloor('jobs', settings);
  const service = await environment.startService(settings, inProject('bench', 'jobs-service.mjs'));

  let expected = 0;
  /** @type {(program: Program, jobs: number, clients: number) => Promise<Result>} */
  const load = async (program, jobs, clients) => {
    expected += jobs;
    return /** @type {Result} */ (await program.ask({ jobs, clients }));
  };
  console.log(`${ROUNDS} rounds of ${JOBS} jobs from ${CLIENTS} clients, ${SLOTS} slots, taking turns; fsync on`);
  for (const program of [floor, service]) await load(program, WARM_JOBS, CLIENTS);

  /** @type {Record<'ofFloor' | 'ofService' | 'calmFloor' | 'calmService', Result[]>} */
  const results = { ofFloor: [], ofService: [], calmFloor: [], calmService: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // The programs alternate in going first.
    const turns = [
      async () => {
        results.ofFloor.push(await load(floor, JOBS, CLIENTS));
        results.calmFloor.push(await load(floor, CALM_JOBS, 1));
      },
    ];
    turns[round % 2 ? 'push' : 'unshift'](async () => {
      results.ofService.push(await load(service, JOBS, CLIENTS));
      results.calmService.push(await load(service, CALM_JOBS, 1));
    });
    for (const turn of turns) await turn();
  }

  const ratios = results.ofService.map(({ perSecond }, at) => perSecond / (results.ofFloor[at]?.perSecond ?? NaN));
  console.log(
    table([
      ['', 'jobs/s', 'calm: pick-up p50 ms', 'p99 ms'],
      ['Slipway', ...figures(results.ofService, results.calmService)],
      ['the floor: bare Bull by hand', ...figures(results.ofFloor, results.calmFloor)],
      ['ratio, pair by pair', spread(ratios, 2), '', ''],
    ]),
  );
  console.log(`Target: ${TARGET} of the floor. ${median(ratios) >= TARGET ? 'Met.' : 'Missed.'}`);

  const { rows } = /** @type {pg.QueryResult<{ effects: number, undone: number }>} */ (
    await database.query(`select (select count(*)::int from bench_effect) as effects,
      (select count(*)::int from job where name = 'bench.measured' and state <> 'done') as undone`)
  );
  await database.end();
  const isWhole = rows[0]?.effects === expected && rows[0].undone === 0;
  console.log(`${expected} jobs accepted, ${rows[0]?.effects} effects, ${rows[0]?.undone} undone.`);
  return isWhole;
}

/**
 * @param {Result[]} loaded
 * @param {Result[]} calm
 */
function figures(loaded, calm) {
  return [
    spread(loaded.map(({ perSecond }) => perSecond)),
    spread(
      calm.map(({ p50 }) => p50),
      1,
    ),
    spread(
      calm.map(({ p99 }) => p99),
      1,
    ),
  ];
}
