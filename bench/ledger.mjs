import { inProject } from '../scripts/project.mjs';
import { DAY_MS, ODD_PROJECT, PROJECTS } from './ledger-data.mjs';
import { pageOfPostGraphile, startPostGraphile } from './ledger-postgraphile.mjs';
import {
  loadInRounds,
  median,
  percentiles,
  PERCENTILES,
  ratiosOf,
  size,
  speedsOf,
  spread,
  table,
  warmUp,
} from './measure.mjs';
import { option } from './options.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Figure } from './figures.mjs' */
/** @import { Page } from './ledger-postgraphile.mjs' */
/** @import { Result } from './load.mjs' */
/** @typedef {{ total: number, generations: { id: string }[] }} Answer */
/** @typedef {{ data: { page: Answer }, errors: object[] }} OfPostGraphile */

const ROUNDS = size(9, 3);
const ROUND_MS = size(1_500, 700);
const CONNECTIONS = 16;
const POOL = '10';

/**
 * Measures reading and writing the ledger: pages with their totals over HTTP, compared with the floor and a naive
 * service; the statements in the database; a page of ten thousand; and writing.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const { prepare } = await import('./ledger-prepare.mjs');
  const { printDatabase } = await import('./ledger-database.mjs');
  const { printWriting } = await import('./ledger-writing.mjs');
  const wanted = { rows: option('rows', undefined), projects: option('projects', undefined) };
  const otherwise = { rows: size(200_000, 50_000), projects: PROJECTS };
  const settings = { DATABASE_POOL: POOL };
  const { service, projectId, key, now } = await prepare(environment, settings, wanted, otherwise);

  const floor = await environment.startFloor('ledger', settings);
  const guarded = await environment.startFloor('ledger-guarded', settings);
  const naive = await environment.startProgram(inProject('bench', 'ledger-naive.mjs'), {
    DATABASE_URL: environment.databaseUrl,
    ...settings,
  });
  const generator = await environment.startProgram(inProject('bench', 'load.mjs'));
  const window = (/** @type {number} */ days) =>
    `fromDate=${new Date(now - days * DAY_MS).toISOString()}&toDate=${new Date(now).toISOString()}`;
  const postgraphile = await startPostGraphile(environment, settings);
  /** @type {(days: number, limit?: number) => Page[]} */
  const pages = (days, limit = 100) => {
    const query = `project=${projectId}&${window(days)}&limit=${limit}`;
    const path = `/api/public/analytics/projects/${projectId}/llm-ledger`;
    return [
      { name: 'Slipway', url: `${service.url}${path}?${window(days)}&sortOrder=desc&limit=${limit}` },
      { name: 'floor', url: `${floor.url}/?${query}` },
      { name: 'floor behind a key', url: `${guarded.url}/?${query}` },
      { name: 'naive', url: `${naive.url}/?${query}` },
      ...(postgraphile ? [pageOfPostGraphile(postgraphile.url, projectId, now - days * DAY_MS, now, limit)] : []),
    ];
  };

  await refuseDifferentAnswers(pages(30), key);
  await printPages(environment, generator, pages, key);
  console.log();
  await printDatabase(environment, projectId, ODD_PROJECT, now);
  console.log();
  await printTenThousand(environment, pages(90, 10_000), key);
  console.log();
  await printWriting(environment, service.url, projectId, key);
  return true;
}

/**
 * @param {Environment} environment
 * @param {Program} generator
 * @param {(days: number) => Page[]} pages
 * @param {string} key
 */
async function printPages(environment, generator, pages, key) {
  const names = pages(1).map(({ name }) => name);
  const rows = [['newest 100 with exact total, a second', ...names]];
  const ratios = [['Slipway, pair by pair', ...names.slice(1)]];
  const waits = [['a page, ms', ...PERCENTILES]];
  /** @type {Figure[]} */
  const figures = [];
  /** @type {(page: Page, milliseconds: number) => Promise<Result>} */
  const load = async ({ url, body }, milliseconds) => {
    const order = { url, key, body, connections: CONNECTIONS, milliseconds };
    const result = /** @type {Result} */ (await generator.ask(order));
    if (result.refused > 0) throw new Error(`${result.refused} requests were refused`);
    return result;
  };
  /** @type {number[][]} */
  const ofService = [];
  for (const page of pages(1).toReversed()) {
    await warmUp((milliseconds) => load(page, milliseconds).then(({ perSecond }) => perSecond));
  }
  for (const days of [1, 30]) {
    const [ours, ...theirs] = pages(days).map((page) => (/** @type {number} */ time) => load(page, time));
    if (!ours) throw new Error('There is no page of Slipway');
    /** @type {Result[]} */
    const service = [];
    /** @type {Result[][]} */
    const others = [];
    /** @type {number[][]} */
    const of = [];
    // Slipway takes turns with one program after the other, because none of two is idle for long then.
    for (const other of theirs) {
      const [mine = [], their = []] = await loadInRounds(ROUNDS, ROUND_MS, [ours, other]);
      service.push(...mine);
      others.push(their);
      of.push(ratiosOf(speedsOf(mine), speedsOf(their)));
    }
    const title = days === 1 ? 'a day' : `${days} days`;
    for (const [at, results] of [service, ...others].entries()) {
      waits.push([`${title}, ${names[at]}`, ...percentiles(results.flatMap(({ waits: each }) => each))]);
    }
    const speeds = [service, ...others].map((results) => spread(speedsOf(results)));
    rows.push([title, ...speeds]);
    ofService.push(speedsOf(service));
    ratios.push([title, ...of.map((values) => spread(values, 2))]);
    const [ofFloor = [], ofGuarded = [], ofNaive = [], ofGraph] = of;
    figures.push({
      work: `ledger: a page of 100, ${title}`,
      ours: `${speeds[0]} a second`,
      floor: `${speeds[1]} a second; ${speeds[2]} behind a key`,
      ratio: `${spread(ofFloor, 2)}; ${spread(ofGuarded, 2)} behind a key`,
      peers: [`${spread(ofNaive, 1)} times naive`, ...(ofGraph ? [`${spread(ofGraph, 1)} times PostGraphile`] : [])],
      target: '0.6 of the floor, 0.9 behind a key, 10 times PostGraphile, 15 times naive',
      isMet:
        median(ofFloor) >= 0.6 &&
        median(ofGuarded) >= 0.9 &&
        median(ofNaive) >= 15 &&
        (ofGraph === undefined || median(ofGraph) >= 10),
    });
  }
  const longer = ratiosOf(.../** @type {[number[], number[]]} */ (ofService));
  figures.push({
    work: 'ledger: a page of 30 days beside one of a day',
    ours: `${spread(longer, 2)} times its time`,
    target: 'at most 1.3',
    isMet: median(longer) <= 1.3,
  });
  console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1000} s beside each program, taking turns`);
  for (const lines of [rows, ratios, waits]) console.log(table(lines));
  for (const figure of figures) environment.judge(figure);
}

/**
 * @param {Environment} environment
 * @param {Page[]} pages
 * @param {string} key
 */
async function printTenThousand(environment, pages, key) {
  const found = pages.map((page) => ({ page, times: /** @type {number[]} */ ([]) }));
  for (let round = 0; round < size(12, 6); round += 1) {
    for (const { page, times } of found) {
      const begun = performance.now();
      await ask(page, key);
      if (round > 1) times.push(performance.now() - begun);
    }
  }
  console.log(table([['10,000 rows', 'ms'], ...found.map(({ page, times }) => [page.name, spread(times, 1)])]));
  const [service = [], floor = [], ...others] = found.map(({ times }) => times);
  const ratios = ratiosOf(service, floor);
  environment.judge({
    work: 'ledger: 10,000 rows',
    ours: `${spread(service, 1)} ms`,
    floor: `${spread(floor, 1)} ms`,
    ratio: spread(ratios, 2),
    peers: others.map((times, at) => `${spread(times, 1)} ms, ${found[at + 2]?.page.name}`),
    target: 'at most 1.7',
    isMet: median(ratios) <= 1.7,
  });
}

/**
 * A floor that answers differently would be no measure.
 * @param {Page[]} pages
 * @param {string} key
 */
async function refuseDifferentAnswers(pages, key) {
  const answers = await Promise.all(
    pages.map(async (page) => {
      /** @type {unknown} */
      const answer = JSON.parse(await ask(page, key));
      const { data, errors, ...own } = /** @type {Answer & Partial<OfPostGraphile>} */ (answer);
      if (errors) throw new Error(JSON.stringify(errors));
      const { total, generations } = data?.page ?? own;
      return JSON.stringify([total, generations.map(({ id }) => id)]);
    }),
  );
  const different = answers.filter((answer) => answer !== answers[0]);
  if (different.length > 0) throw new Error(`Different answers:\n${answers[0]}\n${different.join('\n')}`);
}

/**
 * @param {Page} page
 * @param {string} key
 */
async function ask({ url, body }, key) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body });
  return response.text();
}
