import type { Locator } from 'playwright-core';
import { makeActiveAgent } from '../agents/make.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { makeTenant } from '../support/actors.js';
import { ConsoleBrowser, inApp } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

/** Pages have refreshed after this time. */
const REFRESHED_MS = 6_000;
/** A request that may be repeated at once has been, twice. */
const RETRIED_MS = 1_500;

const first = await startService();
const browser = await ConsoleBrowser.open(first);
const { page } = browser;
let again: typeof first | undefined;
beforeAll(async () => {
  await browser.useClock();
  await browser.signInAtOnce();
});
afterEach(() => browser.expectNoReports());
afterAll(async () => {
  await browser.close();
  await again?.stop();
});

/** Waits until the refusal is gone, without the reading that a user causes who comes back to the page. */
async function untilBackByItself(refusal: Locator): Promise<void> {
  await page.clock.runFor(REFRESHED_MS);
  await refusal.first().waitFor({ state: 'detached' });
}

it('a service that is away is said to be, what was typed stays, and the page comes back by itself', async () => {
  await browser.open('/administrators');
  await page.getByRole('textbox', { name: 'Name' }).fill('ada');
  browser.expectReports(/net::ERR_/);
  await first.stop();
  await browser.comeBackUntil(page.getByRole('alert').getByText('The service does not answer.'));
  // The lists and the choice of a project cannot be read either, and one banner says so for all of them.
  for (const _ of ['once', 'again']) {
    await page.clock.fastForward(6_000);
    await browser.comeBackUntil(async () => (await page.getByRole('alert').count()) === 1);
  }
  await page.getByRole('heading', { name: 'Administrators', level: 1 }).waitFor();
  await page.getByRole('table', { name: 'Console sessions' }).getByText('This browser').waitFor();
  expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  const form = page.getByRole('form', { name: 'Create an administration key' });
  await form.getByRole('button', { name: 'Create a key' }).click();
  await form.getByRole('alert').waitFor();
  again = await startService({ ...first.settings, PORT: new URL(first.url).port });
  await form.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText(/^The key .* is shown only now$/).waitFor();
  await page.getByRole('cell', { name: 'ada' }).first().waitFor();
  await untilBackByItself(page.getByRole('alert'));
});

it('a page that is opened while the service is away appears when it is back', async () => {
  // The code of the page is also asked for before the click, and that fails by itself.
  browser.expectReports(/net::ERR_|Failed to fetch dynamically imported module/);
  await browser.open('/administrators');
  await page.getByRole('textbox', { name: 'Name' }).fill('ben');
  await page.route('**/*', (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Audit' }).click();
  await browser.comeBackUntil(page.getByRole('alert').getByText('The service does not answer.'));
  await page.getByRole('status').getByText('The chosen page is loading.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('ben');
  await page.unroute('**/*');
  await page.clock.fastForward(5_000);
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
});

it('asks once in an interval for the code of a page that does not come, and not in a hidden page', async () => {
  browser.expectReports(/net::ERR_|Failed to fetch dynamically imported module/);
  const tenant = await makeTenant(again!);
  await browser.open(inApp(tenant, 'access'));
  await page.getByRole('heading', { name: 'Access' }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const probes = () => asked.filter((path) => path === '/health/live').length;
  await page.route('**/*', (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Ledger' }).click();
  for (const number of [1, 2, 3, 4]) {
    await eventually(probes, (count) => count >= number);
    await page.clock.runFor(5_000);
  }
  expect(probes()).toBeLessThanOrEqual(5);
  await browser.lookAway();
  // The requests from before the page was hidden have failed when this one fails.
  const askAlike = () => page.evaluate(`fetch('/health/live').catch(() => undefined)`);
  await askAlike();
  asked.length = 0;
  await page.clock.runFor(12_000);
  await askAlike();
  expect(asked).toEqual(['/health/live']);
  await page.unroute('**/*');
  await browser.comeBack();
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  page.removeAllListeners('request');
});

it('says once that a proxy answers for a service that is away, and shows nothing of its page', async () => {
  browser.expectReports(/502/);
  await browser.open('/administrators');
  await page.getByRole('table', { name: 'Console sessions' }).waitFor();
  await page.route('**/api/**', (route) => route.fulfill({ status: 502, body: '<html>Bad gateway</html>' }));
  await browser.comeBackUntil(page.getByRole('alert').getByText('A proxy answered with the status 502'));
  await page.clock.fastForward(6_000);
  await browser.comeBackUntil(async () => (await page.getByRole('alert').count()) === 1);
  expect(await page.getByText('Bad gateway').count()).toBe(0);
  await page.unroute('**/api/**');
  await untilBackByItself(page.getByRole('alert'));
});

it('what is read only once comes back by itself, too', async () => {
  browser.expectReports(/502/);
  const tenant = await makeTenant(again!);
  const { agentId, versionId } = await makeActiveAgent(again!, tenant);
  await page.route(`**/versions/${versionId}`, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
  await browser.open(inApp(tenant, `agents?agent=${agentId}&version=${versionId}`));
  await page.getByRole('alert').getByText('A proxy answered with the status 502').waitFor();
  await page.unroute(`**/versions/${versionId}`);
  await untilBackByItself(page.getByRole('alert'));
  await page.getByRole('dialog').getByText('Instructions').waitFor();
});

const ASKED_TOO_OFTEN = { error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', details: {} } };

it.each([
  ['a proxy, after it waited too long', 408, 'Timeout', 'A proxy answered with the status 408'],
  ['the service, which was asked too often', 429, JSON.stringify(ASKED_TOO_OFTEN), 'There were too many requests.'],
])('what was refused by %s comes back by itself, and is not asked for at once', async (_, status, body, sentence) => {
  browser.expectRefusals(status);
  browser.expectReports(/net::ERR_/);
  const tenant = await makeTenant(again!);
  const { agentId, versionId } = await makeActiveAgent(again!, tenant);
  let asked = 0;
  await page.route(`**/versions/${versionId}`, (route) => {
    asked += 1;
    return route.fulfill({ status, body });
  });
  // A refusal may mean the session, which cannot be asked for at this moment.
  await page.route('**/console-sessions/current', (route) => route.abort('connectionrefused'));
  await browser.open(inApp(tenant, `agents?agent=${agentId}&version=${versionId}`));
  const refusal = page.getByRole('dialog').getByRole('alert');
  await refusal.getByText(sentence).waitFor();
  await page.clock.runFor(RETRIED_MS);
  // The page asks as soon as its address is known, and again when it is drawn.
  expect(asked).toBeLessThanOrEqual(2);
  await page.unroute('**/console-sessions/current');
  await page.unroute(`**/versions/${versionId}`);
  await untilBackByItself(refusal);
  await page.getByRole('dialog').getByText('Instructions').waitFor();
});

it('says so when the browser has no network', async () => {
  browser.expectReports(/net::ERR_/);
  await browser.open('/audit');
  await page.context().setOffline(true);
  await browser.comeBackUntil(page.getByRole('alert').getByText('The service does not answer.'));
  await page.context().setOffline(false);
  await untilBackByItself(page.getByRole('alert'));
});

it('the failure of a button that reads is shown beside it, and the page does not repeat it', async () => {
  browser.expectReports(/net::ERR_/);
  const tenant = await makeTenant(again!);
  const { mcpConnectionId } = await makeMcpConnection(again!, tenant, { url: 'https://mcp.example.com/mcp' });
  await browser.open(inApp(tenant, `mcp-connections?connection=${mcpConnectionId}`));
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Show its tools' }).waitFor();
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await browser.comeBackUntil(page.getByRole('alert').getByText('The page tries again by itself.'));
  expect(await panel.getByRole('alert').count()).toBe(0);
  await panel.getByRole('button', { name: 'Show its tools' }).click();
  await panel.getByRole('alert').getByText('The service does not answer. Try again.').waitFor();
  await page.unroute('**/api/**');
  await untilBackByItself(page.getByRole('alert').getByText('The page tries again by itself.'));
  await panel.getByRole('alert').getByText('Try again.').waitFor();
});

it('signs out as soon as the service is back, also in a hidden page, if it was away when the button was pressed', async () => {
  // Queries that run when the user signs out are refused.
  browser.expectRefusals(401);
  browser.expectReports(/net::ERR_/);
  await browser.open('/administrators');
  await page.getByRole('table', { name: 'Console sessions' }).waitFor();
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('alert').getByText('Keep this page open: you are signed out when it does.').waitFor();
  await browser.lookAway();
  await page.unroute('**/api/**');
  await page.clock.runFor(6_000);
  await page.getByRole('dialog').getByLabel('Administration key').waitFor();
  await browser.comeBack();
  await page.getByRole('alert').first().waitFor({ state: 'detached' });
});
