import { Administration } from './administration.mjs';
import { inProject } from '../scripts/project.mjs';
import { DAY_MS } from './ledger-data.mjs';
import { median, option, percentiles, PERCENTILES, spread, table, warmUp } from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Result } from './load.mjs' */

const ROUNDS = 9;
const ROUND_MS = 1_500;
const CONNECTIONS = 16;
const POOL = '10';

/**
 * Measures reading and writing the ledger: pages with their totals over HTTP, compared with the floor and a naive
 * service; the statements in the database; a page of ten thousand; and writing.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const { fill, ODD_PROJECT, copyToNaive } = await import('./ledger-fill.mjs');
  const { printDatabase } = await import('./ledger-database.mjs');
  const { printWriting } = await import('./ledger-writing.mjs');
  const rows = option('--rows', 200_000);
  const now = Date.now();
  const settings = { DATABASE_POOL: POOL };
  const service = await environment.startService(settings);
  const { projectId, key } = await makeReader(new Administration(service.url, environment.adminKey));

  console.log(`Writing ${rows.toLocaleString('en')} calls of 90 days`);
  await fill(environment.databaseUrl, projectId, rows, now);
  await copyToNaive(environment.databaseUrl, projectId);

  const floor = await environment.startFloor('ledger', settings);
  const guarded = await environment.startFloor('ledger-guarded', settings);
  const naive = await environment.startProgram(inProject('bench', 'ledger-naive.mjs'), {
    DATABASE_URL: environment.databaseUrl,
    ...settings,
  });
  const generator = await environment.startProgram(inProject('bench', 'load.mjs'));
  const window = (/** @type {number} */ days) =>
    `fromDate=${new Date(now - days * DAY_MS).toISOString()}&toDate=${new Date(now).toISOString()}`;
  const addresses = (/** @type {number} */ days, limit = 100) => ({
    service: `${service.url}/api/public/analytics/projects/${projectId}/llm-ledger?${window(days)}&sortOrder=desc&limit=${limit}`,
    floor: `${floor.url}/?project=${projectId}&${window(days)}&limit=${limit}`,
    naive: `${naive.url}/?project=${projectId}&${window(days)}&limit=${limit}`,
    guarded: `${guarded.url}/?project=${projectId}&${window(days)}&limit=${limit}`,
  });

  await refuseDifferentAnswers(addresses(30), key);
  await printPages(generator, addresses, key);
  console.log();
  await printDatabase(environment.databaseUrl, projectId, ODD_PROJECT, now);
  console.log();
  await printTenThousand(addresses(90, 10_000), key);
  console.log();
  await printWriting(environment.databaseUrl, service.url, projectId, key);
  return true;
}

/** @param {Administration} administration */
async function makeReader(administration) {
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['analytics:read', 'analytics:write']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  return { key, projectId: await administration.projectOf(appId) };
}

/**
 * @typedef {Record<'service' | 'floor' | 'naive' | 'guarded', string>} Addresses
 */

/**
 * @param {Program} generator
 * @param {(days: number) => Addresses} addresses
 * @param {string} key
 */
async function printPages(generator, addresses, key) {
  const rows = [
    [
      'newest 100 with exact total',
      'Slipway /s',
      'floor /s',
      'naive /s',
      'of the floor',
      'of it behind a key',
      '× naive',
    ],
  ];
  const waits = [['a page, ms', ...PERCENTILES]];
  /** @type {Record<number, number>} */
  const speeds = {};
  for (const days of [1, 30]) {
    const urls = Object.values(addresses(days));
    /** @type {number[][]} */
    const figures = urls.map(() => []);
    const load = async (/** @type {string} */ url, milliseconds = ROUND_MS) => {
      const result = /** @type {Result} */ (await generator.ask({ url, key, connections: CONNECTIONS, milliseconds }));
      if (result.refused > 0) throw new Error(`${result.refused} requests were refused`);
      return result;
    };
    for (const url of urls) await warmUp((milliseconds) => load(url, milliseconds).then(({ perSecond }) => perSecond));
    /** @type {number[][]} */
    const waited = urls.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [place, url] of urls.entries()) {
        const result = await load(url);
        figures[place]?.push(result.perSecond);
        waited[place] = (waited[place] ?? []).concat(result.waits);
      }
    }
    for (const [place, name] of Object.keys(addresses(days)).entries())
      waits.push([`${days} days, ${name}`, ...percentiles(waited[place] ?? [])]);
    const [service = [], floor = [], naive = [], guarded = []] = figures;
    speeds[days] = median(service);
    rows.push([
      `${days} days`,
      spread(service),
      spread(floor),
      spread(naive),
      spread(pairs(service, floor), 2),
      spread(pairs(service, guarded), 2),
      spread(pairs(service, naive), 1),
    ]);
  }
  console.log(
    `${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns\n${table(rows)}\n${table(waits)}`,
  );
  console.log(
    `Targets: 0.6 of the floor, 15 × naive; 30 days within 1.3 × of one: ${((speeds[1] ?? 0) / (speeds[30] ?? 1)).toFixed(2)}`,
  );
}

/**
 * @param {number[]} some
 * @param {number[]} others
 */
function pairs(some, others) {
  return some.map((value, round) => value / (others[round] ?? NaN));
}

/**
 * @param {Addresses} addresses
 * @param {string} key
 */
async function printTenThousand(addresses, key) {
  /** @type {Record<string, number[]>} */
  const times = { service: [], floor: [], naive: [], guarded: [] };
  for (let round = 0; round < 12; round += 1) {
    for (const [name, url] of Object.entries(addresses)) {
      const begun = performance.now();
      await (await fetch(url, { headers: { 'x-api-key': key } })).arrayBuffer();
      if (round > 1) times[name]?.push(performance.now() - begun);
    }
  }
  const { service = [], floor = [], naive = [], guarded = [] } = times;
  const rows = [
    ['10,000 rows', 'ms'],
    ['Slipway', spread(service, 1)],
    ['floor', spread(floor, 1)],
    ['floor behind a key', spread(guarded, 1)],
    ['naive', spread(naive, 1)],
    ['× the floor (target 1.7)', spread(pairs(service, floor), 2)],
    ['× the floor behind a key', spread(pairs(service, guarded), 2)],
  ];
  console.log(table(rows));
}

/**
 * A floor that answers differently would be no measure.
 * @param {Addresses} addresses
 * @param {string} key
 */
async function refuseDifferentAnswers(addresses, key) {
  const [service, ...others] = await Promise.all(
    Object.values(addresses).map(async (url) => {
      const response = await fetch(url, { headers: { 'x-api-key': key } });
      const { total, generations } = /** @type {{ total: number, generations: { id: string }[] }} */ (
        await response.json()
      );
      return JSON.stringify([total, generations.map(({ id }) => id)]);
    }),
  );
  const different = others.filter((answer) => answer !== service);
  if (different.length > 0) throw new Error(`Different answers:\n${service}\n${different.join('\n')}`);
}
