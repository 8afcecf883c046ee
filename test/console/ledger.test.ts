import type { Request } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../src/kernel/spans.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { aCall, written } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { downloaded } from '../support/download.js';
import { startService } from '../support/service.js';
import { deployedTool, execute } from '../tools/make.js';
import { aSpan, exportOf, sent } from '../traces/spans.js';
import { MARKUP } from './filled-app.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const { body: run } = await say(tenant, 'ada', `Hello ${MARKUP}`);
const browser = await openSignedIn(service);
const { page } = browser;

const LEDGER = inApp(tenant, 'ledger');
/** A whole hour 40 days ago. */
const LONG_AGO = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 40 * DAY_MS;
await written(tenant, aCall({ timestamp: new Date(LONG_AGO).toISOString(), model: 'long-ago' }));

/** The bounds in the address of an hour before the time and an hour after it. */
function around(time: number): string {
  const [from, to] = [time - HOUR_MS, time + HOUR_MS].map((bound) => new Date(bound).toISOString());
  return `from=${from}&to=${to}`;
}

const boundsIn = (address: string) => ['from', 'to'].map((name) => new URL(address).searchParams.get(name));

it('shows a call with its messages beside the ledger, and leads to its trace and its session', async () => {
  await browser.open(LEDGER);
  await page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').first().click();
  await page.getByRole('dialog').getByText(`Hello ${MARKUP}`).first().waitFor();
  await page.getByRole('dialog').getByRole('heading', { name: 'Call of mock', exact: true }).waitFor();
  const shown = await page.getByRole('dialog').innerText();
  expect(shown.indexOf(`Hello ${MARKUP}`)).toBeLessThan(shown.indexOf('Id in the ledger'));
  await browser.expectAccessible();
  const command = await copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy as cURL' }));
  expect(await runShown(service, tenant.key, command)).toContain('"payload"');
  const steps = page.getByRole('table', { name: 'Steps of the trace' });
  await page.getByRole('dialog').getByRole('table').getByRole('button').last().click();
  await page.getByRole('heading', { name: 'Trace ' }).waitFor();
  await page.getByRole('dialog').getByText('Started').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Show its trace' }).click();
  await steps.waitFor();
  const facts = page.getByRole('definition');
  await facts.getByText('US$0.00').waitFor();
  await facts.getByRole('link', { name: run.session.sessionId }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Session of ada, ' }).click();
  await page.getByRole('heading', { name: `Session ${run.session.sessionId}` }).waitFor();
});

it('says that the session of a reported call is not here, and leads back to its calls', async () => {
  const names = { model: 'foreign', sessionId: 'elsewhere-1', traceId: 'elsewhere-2' };
  await written(tenant, aCall({ timestamp: new Date().toISOString(), ...names }));
  browser.expectRefusals(404);
  await browser.see(inApp(tenant, 'traces?trace=elsewhere-2'), 'No trace with this id is kept here.');
  await browser.open(`${LEDGER}?model=foreign`);
  await page.getByRole('link', { name: 'elsewhere-1' }).click();
  await page.getByText('No session with this id is kept here.').waitFor();
  await page.getByText(/tr-[0-9A-Za-z]{22}/).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await browser.expectAccessible();
  await page.getByRole('link', { name: 'Show its calls in the ledger' }).click();
  await page.getByRole('cell', { name: 'foreign' }).waitFor();
});

it('shows every member of what was reported of a call, and says why there is none', async () => {
  const timestamp = new Date().toISOString();
  const tools = [{ type: 'function', function: { name: 'look_up' } }];
  const request = {
    model: 'full',
    temperature: 0.2,
    tools,
    messages: [
      { role: 'tool', content: '42', tool_call_id: 'call_1' },
      { role: 'user', content: 'مرحبا بكم' },
    ],
  };
  const response = { text: null, toolCalls: [{ id: 'call_2', name: 'look_up', arguments: '{}' }] };
  const own = { sessionId: 'a session of the program', traceId: 'a trace of the program' };
  await written(
    tenant,
    aCall({ timestamp, model: 'full', payload: { request, response }, ...own }),
    aCall({ timestamp, model: 'bare' }),
  );
  const panel = page.getByRole('dialog');
  const open = async (model: string) => {
    await browser.open(`${LEDGER}?model=${model}`);
    await page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').first().click();
  };
  const asked: string[] = [];
  const noteIds = (request: Request) => {
    const url = decodeURIComponent(request.url());
    // The id of a call in the ledger has the session, too.
    if (url.includes('of the program') && !url.includes('/llm-ledger/')) asked.push(url);
  };
  page.on('request', noteIds);
  await open('full');
  const shown = (name: string, text: string) => panel.getByRole('region', { name }).getByText(text).waitFor();
  await shown('tool', 'call_1');
  await shown('Other members of the request', 'temperature');
  const direction = (text: string) =>
    page.evaluate<string>(
      `getComputedStyle([...document.querySelectorAll('pre')].find((each) => each.textContent.includes('${text}'))).direction`,
    );
  expect([await direction('مرحبا'), await direction('temperature')]).toEqual(['rtl', 'ltr']);
  await shown('Other members of the answer', 'call_2');
  await panel.getByText('No trace with this id is kept here.').waitFor();
  expect(await panel.getByRole('link').count()).toBe(0);
  await open('bare');
  await panel.getByText('were never stored').waitFor();
  // Ids of the program lead to nothing here, so they are not looked up.
  expect(asked).toEqual([]);
  page.off('request', noteIds);
});

it('closes what was opened beside a list by going back, and returns the focus of the keyboard', async () => {
  await browser.open(LEDGER);
  const row = page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').first();
  for (const close of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await row.click();
    await page.getByRole('dialog').getByText('Time').first().waitFor();
    await close();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL(({ pathname, search }) => pathname.endsWith('/ledger') && search === '');
    await page.locator('.list button:focus').waitFor();
  }
});

it('leaves no way back to a panel that was closed after another row was chosen', async () => {
  const other = await makeTenant(service);
  for (const toolId of [await deployedTool(other), await deployedTool(other)]) await execute(other, toolId, {});
  await browser.open(inApp(other, 'files'));
  await page.getByRole('link', { name: 'Tools' }).click();
  const rows = page.getByRole('table', { name: 'Tools' }).locator('tbody button');
  const panel = page.getByRole('dialog');
  const inAddress = (name: string) => page.waitForURL(({ searchParams }) => searchParams.has(name));
  await rows.first().press('Enter');
  await inAddress('tool');
  await panel.getByRole('table', { name: 'Runs' }).getByRole('button').first().press('Enter');
  await inAddress('run');
  await rows.nth(1).press('Enter');
  await page.waitForURL(({ searchParams }) => searchParams.has('tool') && !searchParams.has('run'));
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor();
});

it('keeps the filters of the ledger in the address', async () => {
  await browser.open(LEDGER);
  await page.getByLabel('Value').selectOption('failed');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByText('Nothing matches the filters.').waitFor();
  await page.waitForURL(({ searchParams }) => searchParams.get('status') === 'failed');
  await page.reload();
  await page.getByRole('button', { name: 'Remove the filter Status: failed' }).click();
  await page.getByRole('table', { name: 'Calls of models' }).waitFor();
});

it('cancels what it asks for when other filters or another page need no answer', async () => {
  await browser.open(LEDGER);
  await page.getByRole('table', { name: 'Calls of models' }).waitFor();
  await page.route('**/llm-ledger?*', () => undefined);
  const isOf = (model: string) => (request: Request) => request.url().includes(`model=${model}`);
  const canceled = (model: string) => page.waitForEvent('requestfailed', isOf(model));
  const asked = (model: string) => page.waitForRequest(isOf(model));
  const askFor = (model: string) => Promise.all([asked(model), browser.open(`${LEDGER}?model=${model}`)]);
  await askFor('first');
  await page.locator('[aria-busy=true]').waitFor();
  await Promise.all([canceled('first'), askFor('second')]);
  await Promise.all([canceled('second'), browser.open('/jobs')]);
  await page.unroute('**/llm-ledger?*');
});

it('finds calls by their channel, its type, and the subtype of their source', async () => {
  for (const name of ['channel', 'channelType', 'sourceSubtype']) {
    await browser.see(`${LEDGER}?${name}=none`, 'Nothing matches the filters.');
  }
  await browser.see(`${LEDGER}?sourceSubtype=response_generation`, 'mock');
});

it('exports the calls that match the filters of the ledger', async () => {
  await browser.open(`${LEDGER}?status=success`);
  const some = await downloaded(page, page.getByRole('button', { name: 'Export as NDJSON' }));
  expect([some.name, some.content.toString()]).toEqual(['calls.ndjson', expect.stringContaining('mock')]);
  await browser.open(`${LEDGER}?status=failed`);
  const none = await downloaded(page, page.getByRole('button', { name: 'Export as CSV' }));
  expect([none.name, none.content.toString().trim().split('\n')]).toEqual(['calls.csv', [expect.any(String)]]);
});

it('exports after all when the first attempt has failed', async () => {
  browser.expectRefusals(503);
  await browser.open(`${LEDGER}?status=success`);
  const refusal = { error: { code: 'SERVER_BUSY', message: 'Too many requests run. Try again.' } };
  await page.route('**/export-links', (route) => route.fulfill({ status: 503, json: refusal }), { times: 1 });
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Too many requests run.' });
  await alert.waitFor();
  const { content } = await downloaded(page, page.getByRole('button', { name: 'Export as CSV' }));
  expect(content.toString()).toContain('mock');
  await alert.waitFor({ state: 'detached' });
});

it('lets the browser save an export, and says which filter forbids one', async () => {
  await browser.open(`${LEDGER}?status=success`);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(new URL(saved.url()).pathname).toContain(`/${tenant.projectId}/llm-ledger/export.csv/`);

  browser.expectRefusals(400);
  await browser.open(`${LEDGER}?status=unclear`);
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  await page.getByRole('alert').filter({ hasText: 'Code INVALID_STATUS' }).nth(1).waitFor();
});

it('finds a call of 40 days ago by the bounds in the address, and keeps them', async () => {
  await browser.open(`${LEDGER}?${around(LONG_AGO)}`);
  const calls = page.getByRole('table', { name: 'Calls of models' });
  await calls.getByText('long-ago').waitFor();
  expect(await calls.locator('tbody tr').count()).toBe(1);
  await browser.expectAccessible();
  const command = await copiedBy(page.getByRole('button', { name: 'Copy as cURL' }));
  expect(await runShown(service, tenant.key, command)).toContain('"long-ago"');
  const address = page.url();
  await page.reload();
  await calls.locator('tbody button').click();
  await page.getByRole('dialog').getByText('long-ago', { exact: true }).waitFor();
  expect(boundsIn(page.url())).toEqual(boundsIn(address));
});

it('takes the bounds of a period in the time of the browser', async () => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
  const inKolkata = (time: number) => new Date(time + 5.5 * HOUR_MS).toISOString().slice(0, 16);
  await browser.goTo(`${LEDGER}?period=7d`);
  await page.getByLabel('Period', { exact: true }).selectOption('From … to …');
  await page.getByLabel('From', { exact: true }).fill(inKolkata(LONG_AGO));
  await page.getByLabel('To', { exact: true }).fill(inKolkata(LONG_AGO + HOUR_MS));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('long-ago').waitFor();
  expect(boundsIn(page.url())).toEqual([LONG_AGO, LONG_AGO + HOUR_MS].map((time) => new Date(time).toISOString()));
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(inKolkata(LONG_AGO));
  await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days');
  await page.getByText('long-ago').waitFor({ state: 'detached' });
  expect(boundsIn(page.url())).toEqual([null, null]);
  await cdp.send('Emulation.setTimezoneOverride', { timezoneId: '' });
});

it('says what is wrong with the bounds in an address, shows no rows, and keeps the rest', async () => {
  const table = page.getByRole('table', { name: 'Calls of models' });
  const noTime = page.getByText('Enter a time. In the address it is in UTC, such as 2026-11-21T09:30:00Z.');
  for (const [bounds, faults] of [
    ['from=yesterday&to=2026-02-30T00:00:00Z', 2],
    ['from=2026-02-01T00:00:00Z', 1],
    ['from=1969-02-01T00:00:00Z&to=2026-02-01T00:00:00Z', 1],
  ] as const) {
    await browser.open(`${LEDGER}?status=success&${bounds}`);
    await noTime.first().waitFor();
    expect(await noTime.count()).toBe(faults);
    expect(await table.count()).toBe(0);
  }
  await browser.open(`${LEDGER}?status=success&from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z`);
  await page.getByText('From must be before To.').waitFor();
  expect(await table.count()).toBe(0);
  await browser.expectAccessible();
  await page.getByLabel('Period', { exact: true }).selectOption('Last 24 hours');
  await table.waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('success');
});

it('finds sessions and traces by the bounds in the address', async () => {
  const daysAgo = LONG_AGO + 37 * DAY_MS;
  await sent(tenant, exportOf([aSpan({ name: 'days ago', from: daysAgo, to: daysAgo + 1_000 })]));
  const pageOf = (name: string, time: number) => inApp(tenant, `${name}?${around(time)}`);
  await browser.see(pageOf('sessions', LONG_AGO), 'There is no session in this period.');
  await browser.see(pageOf('sessions', Date.now()), run.session.sessionId);
  await browser.see(pageOf('traces', LONG_AGO), 'There is no trace in this period.');
  await browser.see(pageOf('traces', daysAgo), 'days ago');
  await page.getByRole('table', { name: 'Traces' }).getByRole('button').click();
  await page.getByRole('table', { name: 'Steps of the trace' }).waitFor();
  await browser.see(inApp(tenant, 'traces?from=never'), 'Enter a time.');
  await browser.see(inApp(tenant, 'sessions?to=never'), 'Enter a time.');
});
