import type { Request } from 'playwright-core';
import { newId } from '../../src/kernel/ids.js';
import { DAY_MS, HOUR_MS } from '../../src/kernel/spans.js';
import { makeConnection } from '../connections/make.js';
import { startUpload } from '../files/files.js';
import { aCall, write } from '../ledger/calls.js';
import { administratorOf, makeApp, makeProject, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { change, subscribe } from '../webhooks/subscribe.js';

const GIB = 1024 ** 3;
const FIELDS = { API_KEY: 'sk-not-a-real-key-1234' };

const service = await startService({ PROJECT_STORAGE_GIB: '1' });
const tenant = await makeTenant(service);
const healthy = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const path = inApp(tenant, 'overview');

/** The filters of the time between two moments. */
const between = (from: number, to: number) => `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;

const begun = Date.now();
/** Ends with the hour of the calls, which stays the last one also when the next hour begins. */
const THEIR_DAY = between(begun - DAY_MS, Math.ceil(begun / HOUR_MS) * HOUR_MS);
const wrong = page.getByRole('region', { name: 'Problems now' });

/** Waits until a plot says this, of which screen readers read a part. */
const untilDrawn = (name: string | RegExp) => page.getByRole('img', { name }).first().waitFor();

const failJob = ({ projectId }: { projectId: string }, error: string) =>
  service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at, finished_at, error, project_id)
     values ($1, 'webhooks.deliver', 'a lane', '{}', 'failed', now(), now(), now(), $2, $3)`,
    [newId('job'), error, projectId],
  );

/** Notes the paths of the requests until the function that it returns is called. */
function notedRequests(): { paths: string[]; stop: () => unknown } {
  const paths: string[] = [];
  const note = (request: Request) => void paths.push(new URL(request.url()).pathname);
  page.on('request', note);
  return { paths, stop: () => page.off('request', note) };
}

beforeAll(async () => {
  await makeConnection(tenant, {
    connectionName: 'Main model',
    provider: 'Vendor1',
    model: 'gpt-5-mini',
    fields: FIELDS,
  });
  const now = new Date(begun).toISOString();
  const like = { timestamp: now, model: 'gpt-5-mini', provider: 'openai', source: 'Shop', environment: 'production' };
  await write(
    tenant,
    aCall({ ...like, status: 'failed', agentName: 'Night desk', latencyMs: 300 }),
    aCall({ ...like, latencyMs: 900, timeToFirstTokenMs: 120, inputTokens: 12, cost: 0.5 }),
    aCall({ timestamp: now, model: 'another', provider: 'openai' }),
  );
  const wish = { callbackUrl: 'http://127.0.0.1:9/', displayName: 'Closed desk' };
  const { subscriptionId } = await subscribe(service, tenant, wish);
  await change(service, subscriptionId, { status: 'DISABLED' });
  await failJob(tenant, 'It broke.');
  await startUpload(tenant.api, { fileSize: GIB, totalChunks: 45 });
});

it.each([
  ['1 call of “gpt-5-mini” failed in the last hour.', 'Night desk'],
  ['The receiver “Closed desk” is disabled.', 'All subscriptions'],
  ['1 job webhooks.deliver failed. It broke.', 'a lane'],
  ['The storage is full: 1.0 GiB of 1.0 GiB are used.', '1.0 GiB reserved'],
])('says at the top that %s, and leads to the page that mends it', async (problem, seen) => {
  await browser.open(path);
  await wrong.getByRole('link', { name: problem }).click();
  await page.getByText(seen).first().waitFor();
});

it('says that nothing is wrong where nothing is', async () => {
  await browser.see(inApp(healthy, 'overview'), 'Nothing is wrong now.');
  await browser.expectAccessible();
});

it('adds up the calls of each group, and how many of them failed', async () => {
  await browser.open(path);
  const groups = page.getByRole('table', { name: 'Calls by group' });
  const cellsOf = async (key: string) => {
    const row = groups.getByRole('row').filter({ hasText: key });
    await row.waitFor();
    return (await row.getByRole('cell').allInnerTexts()).slice(1, 4);
  };
  expect(await cellsOf('gpt-5-mini')).toEqual(['66.7 %', '2', '1']);
  expect(await cellsOf('another')).toEqual(['33.3 %', '1', '0']);
  const all = groups.getByRole('row').last();
  expect(await all.getByRole('rowheader').innerText()).toBe('All');
  expect((await all.getByRole('cell').allInnerTexts()).slice(1, 3)).toEqual(['3', '1']);
  await page.getByLabel('Grouped by').selectOption('provider');
  expect(await cellsOf('openai')).toEqual(['100.0 %', '3', '1']);
  await browser.expectToFit(390);
});

it('shows all projects with their calls, and leads to what is wrong in each', async () => {
  const bare = await makeProject(service, 'Without an app');
  await failJob({ projectId: bare }, 'It stopped.');
  await browser.open('/');
  const rowOf = ({ projectId }: { projectId: string }) => page.getByRole('row').filter({ hasText: projectId });
  const problem = rowOf(tenant).getByRole('link', { name: '1 call of “gpt-5-mini” failed in the last hour.' });
  await problem.waitFor();
  // The page was read at the sign-in, before there was all of this, and shows that until it is read again.
  await browser.comeBackUntil(rowOf(tenant).getByRole('cell', { name: 'US$0.50' }));
  await rowOf(tenant).getByRole('link', { name: '1 more' }).waitFor();
  const cells = await rowOf(tenant).getByRole('cell').allInnerTexts();
  expect(cells.slice(2, 6)).toEqual(['3', '12', 'US$0.50', '1']);
  await rowOf(healthy).getByText('–').waitFor();
  expect((await rowOf(healthy).getByRole('cell').allInnerTexts()).slice(2, 6)).toEqual(['0', '0', 'US$0.00', '0']);
  const inBare = rowOf({ projectId: bare });
  await inBare.getByText('No app yet').waitFor();
  await inBare.getByRole('link', { name: '1 job webhooks.deliver failed. It stopped.' }).waitFor();
  await wrong.getByRole('listitem').filter({ hasText: 'A project: 1 call of “gpt-5-mini” failed' }).waitFor();
  await wrong.getByRole('listitem').filter({ hasText: bare }).waitFor();
  await browser.expectAccessible();
  await problem.click();
  await page.getByText('Night desk').first().waitFor();
  await browser.open('/');
  await rowOf(healthy).getByRole('link').first().click();
  await page.getByText('Nothing is wrong now.').waitFor();
});

it('adds up the calls of all projects, and draws them', async () => {
  await browser.open('/');
  await page.getByLabel('Grouped by').selectOption('provider');
  const row = page.getByRole('table', { name: 'Calls by group' }).getByRole('row').filter({ hasText: 'openai' });
  await row.waitFor();
  expect((await row.getByRole('cell').allInnerTexts()).slice(2, 4)).toEqual(['3', '1']);
  await page.getByRole('button', { name: 'Show the plots' }).click();
  await untilDrawn(/^Calls\. /);
  await untilDrawn(/^Latency/);
});

it('asks once for the apps and once for the problems of all projects on the first page', async () => {
  const { paths: asked, stop } = notedRequests();
  await browser.goTo('/');
  await page.getByRole('link', { name: 'more' }).waitFor();
  await page.getByRole('cell', { name: healthy.projectId }).waitFor();
  stop();
  expect(asked.filter((path) => path.includes('/projects/'))).toEqual([]);
  for (const each of ['apps', 'problems'])
    expect(asked.filter((path) => path.endsWith(`/${each}`))).toEqual([`/api/admin/v1/${each}`]);
});

it('loads plots when they are opened, and draws what the filters leave', async () => {
  const { paths, stop } = notedRequests();
  const areLoaded = () => paths.some((each) => /\/plots-[^/]+\.js$/.test(each));
  await browser.goTo(`${path}?plots=hidden&${THEIR_DAY}`);
  await wrong.waitFor();
  await browser.expectAccessible();
  expect(areLoaded()).toBe(false);
  await page.getByRole('button', { name: 'Show the plots' }).click();
  await untilDrawn('Calls. In the last hour: calls 3, failed 1');
  expect(areLoaded()).toBe(true);
  stop();
  for (const title of [
    'Tokens',
    'Cost',
    'Latency. In the last hour: p50 300 ms, p95 900 ms, p99 900 ms',
    'Time to first token. In the last hour: p50 120 ms, p95 120 ms, p99 120 ms',
    'Share of failed calls. In the last hour: failed 33.3 %',
  ])
    await untilDrawn(title);
  expect(await page.locator('.plot canvas').count()).toBe(6);
  await browser.expectAccessible();
  await browser.open(`${path}?plots=shown&model=gpt-5-mini&${THEIR_DAY}`);
  await untilDrawn('In the last hour: calls 2, failed 1');
  await untilDrawn('In the last hour: failed 50.0 %');
  await browser.open(inApp(healthy, 'overview?plots=shown'));
  await untilDrawn('In the last hour: p50 none, p95 none, p99 none');
});

/** The times of the groups by which plots are split. The groups stand in the order of their cost. */
const TIMES = {
  provider: { latency: 'openai 900 ms', first: 'openai 120 ms' },
  agent: {
    latency: 'response_generation 900 ms, Night desk 300 ms',
    first: 'response_generation 120 ms, Night desk none',
  },
  source: { latency: 'Shop 900 ms', first: 'Shop 120 ms' },
  environment: { latency: 'production 900 ms', first: 'production 120 ms' },
};

it('splits the plots by the groups that cost most, and keeps the choice in the address', async () => {
  await browser.open(`${path}?plots=shown&${THEIR_DAY}`);
  await page.getByLabel('Plots split by').selectOption('model');
  for (const title of [
    'Calls. In the last hour: gpt-5-mini 2, another 1',
    'Failed calls. In the last hour: gpt-5-mini 1, another 0',
    'Share of failed calls of each group. In the last hour: gpt-5-mini 50.0 %, another 0.0 %',
    'Tokens. In the last hour: gpt-5-mini 12',
    'Cost. In the last hour: gpt-5-mini US$0.50, another US$0.00',
    'Latency: p95. In the last hour: gpt-5-mini 900 ms, another 0 ms',
    'Time to first token: p95. In the last hour: gpt-5-mini 120 ms, another none',
  ])
    await untilDrawn(title);
  const splits = await page.getByLabel('Plots split by').locator('option').allInnerTexts();
  expect(splits).toEqual(['nothing', 'model', ...Object.keys(TIMES)]);
  for (const [split, { latency, first }] of Object.entries(TIMES)) {
    await page.getByLabel('Plots split by').selectOption(split);
    await untilDrawn(`Latency: p95. In the last hour: ${latency}`);
    await untilDrawn(`Time to first token: p95. In the last hour: ${first}`);
  }
  await page.getByLabel('Plots split by').selectOption('model');
  await page.getByLabel('Times are shown as').selectOption('p50');
  await untilDrawn('Latency: p50. In the last hour: gpt-5-mini 300 ms');
  await page.getByRole('list', { name: 'Curves' }).getByText('another').waitFor();
  await browser.expectAccessible();
  expect(new URL(page.url()).searchParams.get('split')).toBe('model');
  await browser.open(`/?plots=shown&split=provider&${THEIR_DAY}`);
  await untilDrawn('Calls. In the last hour: openai 3');
});

it('opens a project with its plots, also where the browser names its language in a form of the system', async () => {
  const other = await page.context().newPage();
  await other.addInitScript(`
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })`);
  await other.goto(`${service.url}/console${path}`);
  await other.getByRole('img', { name: /^Latency/ }).waitFor();
  await other.close();
});

it('leaves the page where plots cannot be drawn', async () => {
  browser.expectReports(/This browser draws nothing/);
  await browser.goTo(`${path}?plots=hidden`);
  await page.evaluate("window.ResizeObserver = function () { throw new Error('This browser draws nothing.'); }");
  await page.getByRole('button', { name: 'Show the plots' }).click();
  await page.getByRole('alert').getByText('This browser draws nothing.').waitFor();
  await page.getByRole('table', { name: 'Calls by group' }).getByText('gpt-5-mini').waitFor();
  await page.getByRole('button', { name: 'Hide the plots' }).click();
  await page.getByText('This browser draws nothing.').waitFor({ state: 'detached' });
});

it('draws the chosen period', async () => {
  await write(tenant, aCall({ timestamp: new Date().toISOString(), model: 'later', provider: 'x', latencyMs: 70 }));
  await browser.goTo(`${path}?plots=shown&model=later&period=30d`);
  const plots = page.getByRole('region', { name: 'Calls over time' });
  await plots.getByRole('img', { name: 'On the last day: calls 1, failed 0' }).waitFor();
  await page.getByLabel('Period', { exact: true }).selectOption('Last hour');
  for (const last of ['calls 1, failed 0', 'p50 70 ms, p95 70 ms, p99 70 ms', 'failed 0.0 %'])
    await plots.getByRole('img', { name: `In the last hour: ${last}` }).waitFor();
  await browser.expectAccessible();
});

/** The address with the plots of the time between two moments. */
const plotsOf = (from: number, to: number) => `${path}?plots=shown&${between(from, to)}`;

it('adds up and draws a past period, by hour if it is short and by day if it is long', async () => {
  const time = Math.floor(Date.now() / DAY_MS) * DAY_MS - 40 * DAY_MS;
  await write(tenant, aCall({ timestamp: new Date(time).toISOString(), model: 'long-ago' }));
  await browser.open(plotsOf(time - DAY_MS, time + HOUR_MS));
  const plots = page.getByRole('region', { name: 'Calls over time' });
  await plots.getByRole('img', { name: 'In the last hour: calls 1, failed 0' }).waitFor();
  await page.getByRole('table', { name: 'Calls by group' }).getByText('long-ago').waitFor();
  await browser.open(plotsOf(time - 60 * DAY_MS, time + DAY_MS));
  for (const last of ['calls 1, failed 0', 'failed 0.0 %'])
    await plots.getByRole('img', { name: `On the last day: ${last}` }).waitFor();
  await browser.open(`${path}?plots=shown&from=then&to=now`);
  await page.getByText('Enter a time.').first().waitFor();
  expect(await page.getByRole('table', { name: 'Calls by group' }).count()).toBe(0);
});

it('draws what was called until now of a period whose bounds are far away', async () => {
  const farAhead = Date.parse('9999-12-31T23:59:00Z');
  await browser.see(plotsOf(Date.now() - DAY_MS, farAhead), 'Average latency');
  await untilDrawn(/In the last hour: p50/);
  await browser.see(plotsOf(0, farAhead), 'The plots show the last 1,000 days of the period.');
  await untilDrawn(/On the last day: p50/);
  await browser.see(plotsOf(farAhead - DAY_MS, farAhead), 'This period has not begun, so there is nothing to draw.');
  await browser.see(plotsOf(0, DAY_MS), 'No model was called in this period.');
  await untilDrawn('In the last hour: p50 none');
});

it('takes away what was mended, without a reload', async () => {
  await browser.open(path);
  await wrong.getByRole('link', { name: 'webhooks.deliver' }).waitFor();
  await service.database.rows("delete from job where name = 'webhooks.deliver' and state = 'failed'");
  await browser.comeBackUntil(wrong.getByRole('link', { name: 'webhooks.deliver' }), 'hidden');
});

it('reads a period that has ended once, while it refreshes the rest', async () => {
  await page.clock.install();
  await browser.goTo(plotsOf(Date.now() - 3 * DAY_MS, Date.now() - DAY_MS));
  await page.getByText('No model was called in this period.').waitFor();
  await untilDrawn(/^Calls\. /);
  const { paths: asked, stop } = notedRequests();
  const refreshed = page.waitForResponse('**/problems');
  await page.clock.fastForward(5_000);
  await refreshed;
  stop();
  expect(asked.filter((each) => each.includes('llm-ledger'))).toEqual([]);
});

it('stops reading an app that was deleted, and leads to the others', async () => {
  browser.expectRefusals(404);
  const appId = await makeApp(service, tenant.projectId);
  await browser.see(inApp({ appId }, 'connections'), 'Main model');
  expect((await administratorOf(service).delete(`/api/admin/v1/apps/${appId}`)).outcome).toBe('200');
  await page.clock.fastForward(5_000);
  await page.getByText('This app does not exist, or it was deleted.').waitFor();
  await page.getByRole('heading', { name: 'App not found', level: 1 }).waitFor();
  const { paths: asked, stop } = notedRequests();
  await page.clock.fastForward(60_000);
  await browser.comeBack();
  await page.evaluate("fetch('/health/live').then((answer) => answer.status)");
  stop();
  expect(asked.filter((each) => /^\/api\/(?!.*\/console-sessions\/current$)/.test(each))).toEqual([]);
  await page.getByRole('link', { name: 'All projects' }).click();
  await page.getByRole('table', { name: 'Projects' }).waitFor();
});
