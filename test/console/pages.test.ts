import type { Problem } from '../../src/modules/tenancy/problems.port.js';
import { makeConnection } from '../connections/make.js';
import { ask, connectTo } from '../gateway/calls.js';
import { aCall, write } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { expectMarkupAsText, fillApp, MARKUP } from './filled-app.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const receiver = await Receiver.start();
const empty = await makeTenant(service);
const { tenant, pages, panels } = await fillApp(service, receiver);
const browser = await openSignedIn(service, receiver);
const { page } = browser;

const problems = page.getByRole('region', { name: 'Problems now' });

describe('an app without anything', () => {
  it.each([
    ['overview', 'No model was called'],
    ['ledger', 'There is no call of a model in this period.'],
    ['sessions', 'There is no session in this period.'],
    ['traces', 'There is no trace in this period.'],
    ['playground', 'This app has no agent yet'],
    ['agents', 'This app has no agent yet'],
    ['connections', 'This project reaches no model provider yet'],
    ['mcp-connections', 'Agents of this project reach no MCP server yet'],
    ['tools', 'This project has no tool yet'],
    ['models', 'This project has no model yet'],
    ['files', 'This project has no file'],
    ['webhooks', 'No receiver gets callbacks'],
    ['agent-assist', 'No contact centre reports'],
  ])('says on its page %s what to do next', async (path, text) => {
    await browser.see(inApp(empty, path), text);
    expect(await page.getByText('0 shown', { exact: true }).count()).toBe(0);
    await browser.expectAccessible();
  });
});

it('says why a call of a model without a status has failed, as far as that is known', async () => {
  const reported = await makeTenant(service);
  await write(
    reported,
    aCall({ model: 'reported', status: 'failed', statusCode: 500, timestamp: new Date().toISOString() }),
  );
  await connectTo(reported, { url: 'http://127.0.0.1:9' }).then((model) => ask(reported, model));
  const panel = page.getByRole('dialog');
  for (const [model, reason] of [
    ['reported', 'The ledger has only the status 500'],
    ['llama', 'The provider of the model could not be reached, or closed the connection.'],
  ] as const) {
    await browser.open(inApp(reported, `ledger?model=${model}`));
    await page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').click();
    await panel.getByText(reason).waitFor();
  }
});

it('leads from failed calls that Slipway made to their connection', async () => {
  const double = await ModelDouble.start();
  const failing = await makeTenant(service);
  const fields = { BASE_URL: `${double.url}/no-key/v1`, API_KEY: 'sk-not-a-real-key-1234', MODEL_NAME: 'llama' };
  const { connectionId } = await makeConnection(failing, { connectionName: 'Refused', provider: 'API', fields });
  await ask(failing, connectionId);
  await browser.open(inApp(failing, 'overview'));
  await problems.getByRole('link', { name: '1 call of “llama” failed in the last hour.' }).click();
  await page.getByText('Refused').first().waitFor();
  await double.stop();
});

it('leads from each kind of problem to its place', async () => {
  const places: Record<Problem['kind'], string> = {
    CONNECTION_UNREADABLE: 'connections?connection=it',
    CONNECTION_FAILING: 'connections?connection=it',
    MODEL_CALLS_FAILING: 'ledger?status=failed&model=it&period=1h',
    RECEIVER_DISABLED: 'webhooks?subscription=it',
    RECEIVER_PAUSED: 'webhooks?subscription=it',
    RECEIVER_FAILING: 'webhooks?subscription=it',
    MODEL_NOT_IMPORTED: 'models?model=it',
    MODEL_NOT_SERVED: 'models?model=it',
    TOOL_NOT_IMPORTED: 'tools?tool=it',
    JOBS_FAILED: `/jobs?state=failed&projectId=${empty.projectId}&name=it`,
    STORAGE_FULL: 'files',
  };
  const data = Object.keys(places).map((kind) => ({ kind, message: `This is ${kind}.`, subject: 'it' }));
  await page.route('**/problems', (route) => route.fulfill({ json: { success: true, data } }));
  await browser.open(inApp(empty, 'overview'));
  for (const [kind, place] of Object.entries(places)) {
    const link = problems.getByRole('link', { name: `This is ${kind}.` });
    const address = place.startsWith('/') ? place : inApp(empty, place);
    expect(await link.getAttribute('href')).toBe(`/console${address}`);
  }
  expect(await problems.getByRole('listitem').count()).toBe(data.length);
  await page.unroute('**/problems');
});

/** Fails if the title of the page has no button that copies the request of the page. */
async function expectRequestOfPage(): Promise<void> {
  const title = page.getByRole('main').getByRole('heading', { level: 1 }).locator('..');
  expect(await title.getByRole('button', { name: 'Copy as cURL' }).count()).toBe(1);
}

describe('an app with everything', () => {
  it.each(pages)('is shown on the page %s, markup as text', async (path) => {
    await browser.see(path, MARKUP);
    await expectMarkupAsText(page);
    await expectRequestOfPage();
    await browser.expectAccessible();
  });

  it.each([
    ['/jobs', 'Jobs'],
    ['/system', 'System'],
  ])('has the request of the page %s beside its title', async (path, title) => {
    await browser.see(path, title);
    await expectRequestOfPage();
  });

  it('shows markup in the names of the nodes of a tool as text', async () => {
    await browser.open(Object.keys(panels).find((each) => each.includes('tools?tool='))!);
    await page.locator('.react-flow__node').getByText(MARKUP).waitFor();
    await expectMarkupAsText(page);
  });

  it.each([
    [
      'the names of uploads that are not complete',
      inApp(tenant, 'files'),
      () => page.getByRole('region', { name: `Upload of ${MARKUP}` }),
    ],
    ['the actors of the audit trail', '/audit', () => page.locator('td:nth-child(2)')],
  ])('shows markup in %s as text', async (_, path, part) => {
    await browser.open(path);
    await part().getByText(MARKUP).first().waitFor();
    await expectMarkupAsText(page);
  });

  it.each(Object.entries(panels))(
    'is shown in the panel of %s, markup as text, beside its list, which stays in use',
    async (path, members) => {
      // The call of the ledger names a session that was never here.
      browser.expectRefusals(404);
      await browser.see(path, MARKUP);
      const panel = page.getByRole('dialog');
      await panel.getByText(MARKUP).first().waitFor();
      for (const member of members) {
        const value = panel.locator('dl > div, section').filter({ hasText: new RegExp(`^${member}`) });
        await value.filter({ hasText: MARKUP }).first().waitFor();
      }
      await expectMarkupAsText(page);
      await browser.expectAccessible();
      // A scope is a column, and all others are rows.
      const opened = page.locator('main :is(tr, th)[aria-current=true]');
      await opened.waitFor();
      expect(await opened.count()).toBe(1);
      const { x, y } = (await panel.boundingBox())!;
      expect(y).toBeGreaterThan(0);
      const shown = (await page.locator('main section').first().boundingBox())!;
      expect(shown.x + shown.width).toBeLessThanOrEqual(x);
      // A trial fails if something else would get the click.
      const signOut = page.getByRole('button', { name: 'Sign out' });
      const first = page.locator('main').getByRole('button').first();
      for (const used of [signOut, first, opened.locator('> *').filter({ visible: true }).last()])
        await used.click({ trial: true });
    },
  );

  it('has no room beside a panel in a narrow window', async () => {
    browser.expectRefusals(404);
    const placeAt = async (width: number) => {
      await page.setViewportSize({ width, height: 900 });
      return (await page.getByRole('dialog').boundingBox())!;
    };
    await browser.see(Object.keys(panels)[0]!, MARKUP);
    expect((await placeAt(991)).y).toBe(0);
    const { x, y } = await placeAt(992);
    expect(y).toBeGreaterThan(0);
    const shown = (await page.locator('main section').first().boundingBox())!;
    expect(shown.x + shown.width).toBeLessThanOrEqual(x);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('leads from an app to its overview', async () => {
    await browser.see(inApp(tenant, ''), 'Average latency');
    expect(new URL(page.url()).pathname).toMatch(/\/overview$/);
  });

  it.each([
    [inApp(tenant, 'tools'), 'Tools', '"callflows"'],
    [inApp(tenant, 'files'), 'Files', '"fileContext"'],
    [inApp(tenant, 'connections'), 'Connections', '"connectionName"'],
    [inApp(tenant, 'agent-assist'), 'Conversations', '"timeline"'],
    ['/jobs', 'Jobs', '"progress"'],
    ['/audit', 'Changes of the configuration', '"after"'],
  ])('copies the request of what is opened on %s', async (path, table, answered) => {
    await browser.open(path);
    await page.getByRole('table', { name: table }).locator('tbody').getByRole('button').first().click();
    const command = await copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy as cURL' }));
    expect(await runShown(service, tenant.key, command)).toContain(answered);
  });

  it('leads to each page from the navigation, in a low window too', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await browser.open(inApp(tenant, 'overview'));
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('heading', { name: 'Access' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});

it('has another page for an unknown address', async () => {
  await browser.goTo('/nothing/here');
  await page.getByText('There is no page at this address').waitFor();
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
  expect(await page.title()).toBe('Page not found · Slipway');
  await page.getByRole('link', { name: 'All projects' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
});

describe('in dark colors', () => {
  beforeAll(() => page.emulateMedia({ colorScheme: 'dark' }));
  afterAll(() => page.emulateMedia({ colorScheme: 'light' }));

  it('the opened row of a list can be read as well', async () => {
    browser.expectRefusals(404);
    await browser.see(Object.keys(panels)[0]!, MARKUP);
    await page.locator('main tr[aria-current=true]').waitFor();
    await browser.expectAccessible();
  });

  it.each(['overview', 'ledger', 'agents', 'access'])('the page %s can be read as well', async (path) => {
    await browser.see(inApp(tenant, path), MARKUP);
    await browser.expectAccessible();
  });
});

it('keeps the colors that the user has chosen, which can be read, when the page is loaded again', async () => {
  await browser.open(inApp(tenant, 'overview'));
  for (const [chosen, other] of [
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const) {
    await page.getByRole('button', { name: `Use the ${chosen} colors` }).click();
    await page.reload();
    await page.getByRole('button', { name: `Use the ${other} colors` }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(chosen);
    await page.getByRole('table', { name: 'Calls by group' }).waitFor();
    await browser.expectAccessible();
  }
});
