import { pathToFileURL } from 'node:url';
import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { makeSessions, printSessions } from './many-sessions.mjs';
import { median, size, spread, table } from './measure.mjs';
import { option } from './options.mjs';

/** @import { Environment } from './environment.mjs' */
/** @import { Figure } from './figures.mjs' */

/** The sessions are of one day. */
const SESSIONS = size(100_000, 60_000);
const TIMES = size(15, 5);
const TARGET_MS = 150;
const FIRST_TARGET_MS = 1_000;

/**
 * Measures the console in a headless browser with many sessions and calls: the time from the navigation to the rows,
 * and how much of it the API does not take.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const { fill } = await import('./ledger-fill.mjs');
  const calls = option('rows', size(200_000, 50_000));
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.activateAgent(appId);
  await administration.makeScope(appId, 'benchmark', ['RUN_API', 'SESSION_CREATION', 'SESSIONS_LIST']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const made = await fetch(`${service.url}/api/v2/apps/${appId}/environments/production/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ sessionIdentity: [{ type: 'userReference', value: 'ada' }] }),
  });
  if (!made.ok) throw new Error(`A session was answered ${made.status}`);

  await makeSessions(environment.databaseUrl, appId, SESSIONS);
  await printSessions({ url: service.url, headers, appId, count: SESSIONS, limit: 50 });
  console.log(`\nWriting ${calls.toLocaleString('en')} calls of 90 days`);
  await fill(environment.databaseUrl, await administration.projectOf(appId), calls, Date.now());
  await printPages(environment, service.url, appId, calls);
  return true;
}

/**
 * @param {Environment} environment
 * @param {string} url
 * @param {string} appId
 * @param {number} calls
 */
async function printPages(environment, url, appId, calls) {
  /** @type {unknown} */
  const module = await import(pathToFileURL(inProject('test', 'support', 'chromium.ts')).href);
  const { startChromium } = /** @type {typeof import('../test/support/chromium.js')} */ (module);
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    await page.goto(`${url}/console/`);
    await page.getByRole('dialog').getByLabel('Administration key').fill(environment.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    const rows = [['the console, ms', 'to the rows', 'of it the API', 'beyond the API']];
    /** @type {Figure[]} */
    const figures = [];
    const app = `/console/apps/${appId}`;
    for (const [title, path, isLoaded, target] of /** @type {const} */ ([
      ['the first page, loaded warm', '/console/', true, FIRST_TARGET_MS],
      [`sessions of ${SESSIONS.toLocaleString('en')}`, `${app}/sessions`, false, TARGET_MS],
      ['sessions of an environment', `${app}/sessions?env_name=staging`, false, TARGET_MS],
      [`a ledger of ${calls.toLocaleString('en')} calls`, `${app}/ledger`, false, TARGET_MS],
      ['30 days of that ledger', `${app}/ledger?period=30d`, false, TARGET_MS],
    ])) {
      /** @type {Shown[]} */
      const found = [];
      for (let time = 0; time <= TIMES; time += 1) {
        await page.goto(`${url}${isLoaded ? path : '/console/system'}`);
        if (!isLoaded) await page.getByRole('table', { name: 'Retention' }).waitFor();
        const shown = /** @type {Shown} */ (await page.evaluate(timed(isLoaded ? null : path)));
        // The first time loads the code of the page, which the next ones have.
        if (time > 0) found.push(shown);
      }
      const whole = found.map((each) => each.whole);
      const beyond = found.map((each) => each.whole - each.api);
      const judged = isLoaded ? whole : beyond;
      const api = spread(found.map((each) => each.api));
      rows.push([title, spread(whole), api, spread(beyond)]);
      figures.push({
        work: `console: ${title}`,
        ours: `${spread(judged)} ms${isLoaded ? '' : ' beyond the API'}`,
        target: `at most ${target} ms`,
        isMet: median(judged) <= target,
      });
    }
    console.log(table(rows));
    for (const figure of figures) environment.judge(figure);
  } finally {
    await browser.close();
  }
}

/** @typedef {{ whole: number, api: number }} Shown times in milliseconds */

/**
 * Returns code for the browser. It follows a link, or takes the page that is being loaded, and waits until a row of a
 * table has been painted. It tells how long that took, and how long a request of the API was open meanwhile.
 * @param {string | null} path
 */
function timed(path) {
  return `(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const path = ${JSON.stringify(path)};
    const begun = path === null ? 0 : performance.now();
    if (path !== null) history.pushState({}, '', path);
    const title = () => document.querySelector('main h1')?.textContent;
    const before = path === null ? null : title();
    while (!document.querySelector('main tbody tr') || (before !== null && title() === before)) {
      if (performance.now() - begun > 60000) throw new Error('No row was shown');
      await frame();
    }
    // The frame after the one in which the row was there begins when that one is painted.
    await frame();
    const whole = performance.now() - begun;
    const spans = performance.getEntriesByType('resource')
      .filter(({ name, startTime, responseEnd }) => name.includes('/api/') && startTime >= begun && responseEnd > 0)
      .map(({ startTime, responseEnd }) => [startTime, Math.min(responseEnd, begun + whole)])
      .sort(([a], [b]) => a - b);
    let [api, end] = [0, 0];
    for (const [from, to] of spans) {
      api += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    return { whole, api };
  })()`;
}
