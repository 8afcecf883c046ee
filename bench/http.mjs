import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import {
  loadInRounds,
  median,
  PERCENTILES,
  percentiles,
  ratiosOf,
  size,
  speedsOf,
  spread,
  table,
  warmUp,
} from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Result } from './load.mjs' */
/** @typedef {Result & { computing: number }} Measured with the time that the process computed for a request, in µs */

const PATH = '/api/public/me';
const TARGET = 1;
/** Rounds are short and many, so that other work on the machine affects both programs of a pair alike. */
const ROUNDS = size(25, 7);
const ROUND_MS = 700;
const CONNECTIONS = 32;

/**
 * Measures a guarded route with its envelope: the check of the key, one increment in Redis, one line of log. The floor
 * reads the key each time, where a process of the service knows it.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API', 'CONNECTIONS_MANAGE']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  const floor = await environment.startFloor('http');
  await refuseDifferentAnswers(service, floor, key);
  const generator = await environment.startProgram(inProject('bench', 'load.mjs'));

  /** @type {(program: Program, milliseconds: number) => Promise<Measured>} */
  const load = async (program, milliseconds) => {
    const order = { url: program.url + PATH, key, connections: CONNECTIONS, milliseconds };
    const before = program.cpuSeconds();
    const result = /** @type {Result} */ (await generator.ask(order));
    if (result.refused > 0) throw new Error(`${result.refused} requests were refused`);
    const requests = (result.perSecond * milliseconds) / 1000;
    return { ...result, computing: (1_000_000 * (program.cpuSeconds() - before)) / requests };
  };
  console.log(
    `GET ${PATH}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns; waits in ms`,
  );
  for (const program of [floor, service]) {
    await warmUp((milliseconds) => load(program, milliseconds).then(({ perSecond }) => perSecond));
  }

  console.log('The floor reads the key each time; a process of the service knows it.');

  const loads = [service, floor].map((program) => (/** @type {number} */ time) => load(program, time));
  const [ofService = [], ofFloor = []] = await loadInRounds(ROUNDS, ROUND_MS, loads);
  const ratios = ratiosOf(speedsOf(ofService), speedsOf(ofFloor));
  console.log(
    table([
      ['', 'requests/s', ...PERCENTILES, 'computing, µs'],
      ['Slipway', ...figures(ofService)],
      ['the floor: Express 5 by hand', ...figures(ofFloor)],
      ['ratio, pair by pair', spread(ratios, 2), '', '', '', ''],
    ]),
  );
  environment.judge({
    work: 'http: a guarded route',
    ours: `${figures(ofService)[0]} a second`,
    floor: `${figures(ofFloor)[0]} a second, Express, which reads the key each time`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
  return true;
}

/** @param {Measured[]} results */
function figures(results) {
  return [
    spread(speedsOf(results)),
    ...percentiles(results.flatMap(({ waits }) => waits)),
    spread(results.map(({ computing }) => computing)),
  ];
}

/**
 * Makes sure that the floor answers with the same status, headers and body, except for ids and times. A floor that does
 * less would be no measure.
 * @param {Program} service
 * @param {Program} floor
 * @param {string} key
 */
async function refuseDifferentAnswers(service, floor, key) {
  const [ours, theirs] = await Promise.all([service, floor].map(({ url }) => answerOf(url, key)));
  if (ours !== theirs) throw new Error(`The floor answers differently.\nSlipway:\n${ours}\nThe floor:\n${theirs}`);
}

/**
 * @param {string} url
 * @param {string} key
 */
async function answerOf(url, key) {
  const response = await fetch(url + PATH, { headers: { 'x-api-key': key } });
  const body = /** @type {{ meta: object }} */ (await response.json());
  const passing = { date: 'D', 'content-length': 'N', 'x-request-id': 'I', ratelimit: 'R' };
  const headers = Object.entries({ ...Object.fromEntries(response.headers), ...passing }).sort();
  return JSON.stringify([response.status, headers, { ...body, meta: Object.keys(body.meta) }], null, 1);
}
