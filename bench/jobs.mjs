import pg from 'pg';
import { inProject } from '../scripts/project.mjs';
import { median, ratiosOf, size, speedsOf, spread, table } from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Result } from './jobs-load.mjs' */

const TARGET = 0.9;
/** The part of the speed of other software that Slipway is to reach. */
const PEERS = { 'graphile-worker': 0.7, 'pg-boss': 1 };
const SLOTS = '16';
const WARM_JOBS = 4_000;
const ROUNDS = size(9, 3);
const JOBS = 2_000;
/** Pick-up is measured with one client and an idle worker, so that no job is queued. */
const CALM_JOBS = 200;
const CLIENTS = 16;

/**
 * Compares accepting and running a job, effect included, with bare Bull and the same rows and commits by hand, and with
 * other queues on PostgreSQL.
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

  const contenders = [
    contender('Slipway', await environment.startService(settings, inProject('bench', 'jobs-service.mjs'))),
    contender('bare Bull by hand', await environment.startFloor('jobs', settings)),
    ...(await peersOf(environment, settings)),
  ];
  const [service, floor, ...peers] = /** @type {[Contender, Contender, ...Contender[]]} */ (contenders);
  let expected = 0;
  /** @type {(contender: Contender, jobs: number, clients: number) => Promise<Result>} */
  const load = async ({ program }, jobs, clients) => {
    expected += jobs;
    return /** @type {Result} */ (await program.ask({ jobs, clients }));
  };
  console.log(`${ROUNDS} rounds of ${JOBS} jobs from ${CLIENTS} clients, ${SLOTS} slots, taking turns; fsync on`);
  for (const each of contenders.toReversed()) await load(each, WARM_JOBS, CLIENTS);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another program.
    const first = round % contenders.length;
    for (const each of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      each.loaded.push(await load(each, JOBS, CLIENTS));
      each.calm.push(await load(each, CALM_JOBS, 1));
    }
  }

  const speeds = speedsOf(service.loaded);
  const ratiosTo = (/** @type {Contender} */ each) => ratiosOf(speeds, speedsOf(each.loaded));
  const ratios = ratiosTo(floor);
  console.log(
    table([
      ['', 'jobs/s', 'Slipway, pair by pair', 'calm: pick-up p50 ms', 'p99 ms'],
      ...contenders.map((each) => line(each, each === service ? '' : spread(ratiosTo(each), 2))),
    ]),
  );
  environment.judge({
    work: 'jobs: accepted to done',
    ours: `${spread(speeds)} a second`,
    floor: `${spread(speedsOf(floor.loaded))} a second, bare Bull and the row by hand`,
    ratio: spread(ratios, 2),
    peers: peers.map((peer) => `${spread(ratiosTo(peer), 2)} of ${peer.name}`),
    target: [`at least ${TARGET}`, ...peers.map(({ name, target }) => `${target} of ${name}`)].join(', '),
    isMet: median(ratios) >= TARGET && peers.every((peer) => median(ratiosTo(peer)) >= peer.target),
  });

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
 * A program that does the jobs, and what was measured of it.
 * @typedef {object} Contender
 * @property {string} name
 * @property {Program} program
 * @property {number} target the part of its speed that Slipway is to reach
 * @property {Result[]} loaded
 * @property {Result[]} calm
 */

/**
 * @param {string} name
 * @param {Program} program
 * @param {number} [target]
 * @returns {Contender}
 */
function contender(name, program, target = TARGET) {
  return { name, program, target, loaded: [], calm: [] };
}

/**
 * @param {Environment} environment
 * @param {NodeJS.ProcessEnv} settings
 */
async function peersOf(environment, settings) {
  const peers = [];
  for (const [name, target] of Object.entries(PEERS)) {
    const program = await environment.startPeer(name, settings);
    if (program) peers.push(contender(name, program, target));
  }
  return peers;
}

/**
 * @param {Contender} each
 * @param {string} ratios
 */
function line(each, ratios) {
  const pickUps = [each.calm.map(({ p50 }) => p50), each.calm.map(({ p99 }) => p99)];
  return [each.name, spread(speedsOf(each.loaded)), ratios, ...pickUps.map((values) => spread(values, 1))];
}
