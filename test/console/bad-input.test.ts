import { newId } from '../../src/kernel/ids.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { aCall, EVER, ledgerPath, MiB, type Page, write } from '../ledger/calls.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { McpDouble } from '../mcp-connections/mcp-double.js';
import { administratorOf, makeApp, makeProject, makeTenant } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { inApp, openConsole } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { aSpan, exportOf, newSpanId, newTraceId, sent } from '../traces/spans.js';
import { expectMarkupAsText, MARKUP, RIGHT_TO_LEFT, SHOWN, STRANGE, TURN } from './filled-app.js';

const LONG_NAME = 'n'.repeat(500);

const service = await startService();
const server = await McpDouble.start({ description: MARKUP });
const tenant = await makeTenant(service);
const browser = await openConsole(service, server);
const { page } = browser;

const key = page.getByRole('dialog').getByLabel('Administration key');
const signInButton = page.getByRole('button', { name: 'Sign in' });

describe('a key that is none', () => {
  // Each test begins without the sentence of the one before.
  beforeEach(async () => {
    browser.expectRefusals(401);
    await browser.goTo('/');
  });

  it.each([
    ['of spaces', '   ', 'This is not a key.'],
    ['of letters that no key has', RIGHT_TO_LEFT, 'This is not a key.'],
    ['of 20,000 characters', 'k'.repeat(20_000), 'This is not a key.'],
    ['that is markup', MARKUP.replaceAll(' ', ''), /KEY_INVALID/],
    ['that is of an app', tenant.key, /KEY_INVALID/],
  ])('%s is refused with a sentence', async (_kind, text, sentence) => {
    await key.fill(text);
    await signInButton.click();
    await page.getByRole('alert').getByText(sentence).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

it('a revoked key is out at once, without a click', async () => {
  browser.expectRefusals(401);
  await browser.useClock();
  const made = await makeAdminKey(service);
  await browser.goTo('/');
  await key.fill(made.adminKey);
  await signInButton.click();
  await page.getByText(made.name).first().waitFor();
  await revokeAdminKey(service, made.adminKeyId);
  await browser.comeBackUntil(key);
});

describe('signed in', () => {
  beforeAll(() => browser.signIn());

  it('the tools of an MCP server show markup as text', async () => {
    const allowedTools = ['echo', MARKUP];
    const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: server.url, allowedTools });
    await browser.open(inApp(tenant, `mcp-connections?connection=${mcpConnectionId}`));
    await page.getByRole('button', { name: 'Show its tools' }).click();
    await page.getByRole('table', { name: 'Tools of the server' }).getByText(MARKUP).waitFor();
    await page.getByRole('table', { name: 'Tools that are not offered' }).getByText(MARKUP).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  it('an app that was deleted meanwhile is said to be gone, and no key is asked for', async () => {
    browser.expectRefusals(401, 404);
    const appId = await makeApp(service, tenant.projectId);
    await browser.see(inApp({ appId }, 'sessions'), 'There is no session in this period.');
    expect((await administratorOf(service).delete(`/api/admin/v1/apps/${appId}`)).outcome).toBe('200');
    await browser.comeBackUntil(page.getByText('This app does not exist, or it was deleted.'));
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('says in plain words that an agent is gone, and asks no other route for an id that would lead to it', async () => {
    browser.expectRefusals(404);
    const asked: string[] = [];
    const note = (request: { url(): string }) => void asked.push(new URL(request.url()).pathname);
    page.on('request', note);
    for (const [id, sentence] of [
      ['..', 'There is nothing with the id “..”.'],
      [newId('agent'), 'This agent does not exist, or it was deleted.'],
    ] as const) {
      await browser.open(inApp(tenant, `agents?agent=${id}`));
      await page.getByRole('alert').getByText(sentence).first().waitFor();
      await page.getByRole('button', { name: 'All agents' }).click();
      await page.getByText('This app has no agent yet.').waitFor();
    }
    page.off('request', note);
    expect(asked.filter((path) => path.endsWith('/'))).toEqual([]);
  });

  it.each([
    ['overview?period=toString', 'No model was called'],
    ['overview?plots=valueOf', 'No model was called'],
    ['ledger?period=constructor', 'There is no call of a model in this period.'],
    ['ledger?sort=constructor', 'There is no call of a model in this period.'],
    ['sessions?period=valueOf', 'There is no session in this period.'],
  ])('takes %s in the address for the usual choice', async (path, text) => {
    await browser.see(inApp(tenant, path), text);
  });

  it('selects a request that the browser does not copy, and encodes the ids in it', async () => {
    const id = "8B?#$& %2F'";
    browser.expectRefusals(400, 404);
    await browser.open(inApp(tenant, `traces?trace=${encodeURIComponent(id)}`));
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
    await page.getByRole('button', { name: 'Copy as cURL' }).click();
    await page.getByRole('textbox', { name: 'The text is selected' }).waitFor();
    const selected = await page.evaluate<string>(
      '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
    );
    expect(selected).toContain("/traces/8B%3F%23%24%26%20%252F'\\''");
  });

  it('shows the beginning of a payload of 1 MiB, and all of it on request', async () => {
    const timestamp = new Date().toISOString();
    const payload = { request: { messages: [{ role: 'user', content: 'm'.repeat(MiB) }] } };
    await write(tenant, aCall({ timestamp, payload }));
    const { body } = await tenant.api.get<Page>(ledgerPath(tenant.projectId), { query: EVER });
    await browser.open(inApp(tenant, `ledger?call=${encodeURIComponent(body.generations[0]!.id)}`));
    await page.getByRole('button', { name: 'Show all 1,048,576 characters' }).click();
    const text = page.getByRole('region', { name: 'user' }).locator('pre');
    await page.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' });
    expect((await text.textContent())!.length).toBe(MiB);
  });

  it('refuses a name of 500 characters with the sentence of the API, and keeps it in the form', async () => {
    browser.expectRefusals(400);
    await browser.open('/administrators');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill(LONG_NAME);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText(/^The name must /).waitFor();
    expect(await name.inputValue()).toBe(LONG_NAME);
  });

  it('breaks a name of 500 characters, so that no page becomes wider than its window', async () => {
    await sent(tenant, exportOf([aSpan({ name: LONG_NAME })]));
    await browser.see(inApp(tenant, 'traces'), /n{200}/);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('shows a name of 500 characters in a row of two lines, and all of it under the pointer', async () => {
    await sent(tenant, exportOf([aSpan({ name: LONG_NAME })]));
    await browser.see(inApp(tenant, 'traces'), /n{200}/);
    const name = page
      .getByRole('table', { name: 'Traces' })
      .getByTitle(/^n{200}/)
      .first();
    expect((await name.boundingBox())!.height).toBeLessThan(50);
    expect(await name.getAttribute('title')).toBe(await name.innerText());
    await page
      .getByRole('row', { name: /n{200}/ })
      .getByRole('button')
      .first()
      .click();
    const steps = page.getByRole('table', { name: 'Steps of the trace' });
    expect(
      (await steps
        .getByTitle(/^n{200}/)
        .first()
        .boundingBox())!.height,
    ).toBeLessThan(50);
  });

  it('cuts a long value of a filter, which can still be removed', async () => {
    await browser.open(inApp(tenant, `ledger?model=${LONG_NAME}`));
    const chip = page.getByRole('button', { name: /^Remove the filter Model: n{200}/ });
    await chip.waitFor();
    await browser.expectToFit(page.viewportSize()!.width);
    await browser.expectToFit(390);
    await chip.click();
    await chip.waitFor({ state: 'detached' });
  });

  it('breaks a long name in the title of a panel, so that its button stays in the window', async () => {
    await browser.see(inApp(tenant, 'traces'), /n{200}/);
    await page
      .getByRole('row', { name: /n{200}/ })
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('table', { name: 'Steps of the trace' }).getByRole('button').first().click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('heading', { name: /n{200}/ }).waitFor();
    const { x, width } = (await panel.getByRole('button', { name: 'Close' }).boundingBox())!;
    expect(x + width).toBeLessThan(page.viewportSize()!.width);
  });

  it('draws steps that are their own parents, or parents of each other, as roots', async () => {
    const traceId = newTraceId();
    const [one, other, alone] = [newSpanId(), newSpanId(), newSpanId()];
    const span = (name: string, spanId: string, parentSpanId: string) => aSpan({ traceId, name, spanId, parentSpanId });
    const circle = [span('one of a circle', one, other), span('other of a circle', other, one)];
    await sent(tenant, exportOf([aSpan({ traceId, name: 'root' }), ...circle, span('its own parent', alone, alone)]));
    await browser.open(inApp(tenant, `traces?trace=${traceId}`));
    const steps = page.getByRole('table', { name: 'Steps of the trace' });
    for (const name of ['root', 'one of a circle', 'other of a circle', 'its own parent'])
      await steps.getByRole('button', { name, exact: true }).waitFor();
  });

  it('says how many steps of a long trace are shown', async () => {
    const traceId = newTraceId();
    await sent(tenant, exportOf(Array.from({ length: 1_001 }, () => aSpan({ traceId, attributes: {} }))));
    await browser.see(inApp(tenant, `traces?trace=${traceId}`), 'The first 1,000 of 1,001 steps are shown.');
  });

  it('shows marks of direction in the names of strangers as signs, which reorder nothing', async () => {
    const [name, sign] = [`invoice${TURN}fdp.exe`, 'invoice⟨U+202E⟩fdp.exe'];
    await sent(tenant, exportOf([aSpan({ name })]));
    await browser.open(inApp(tenant, 'traces'));
    await page.getByRole('row', { name: sign }).getByRole('button').first().click();
    await page.getByRole('table', { name: 'Steps of the trace' }).getByRole('button', { name: sign }).click();
    await page.getByRole('dialog').getByRole('heading', { name: sign }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain(TURN);
  });

  it('shows marks of direction as signs in the choices of forms and in the filters of a link', async () => {
    await makeConnection(tenant, { ...BODIES.Vendor1, connectionName: 'to-be-turned' });
    await page.route('**/connections?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('to-be-turned', STRANGE) });
    });
    await browser.open(inApp(tenant, 'agents?create=yes'));
    await page.getByRole('option', { name: SHOWN }).waitFor({ state: 'attached' });
    await expectMarkupAsText(page);
    await page.unrouteAll({ behavior: 'wait' });
    await browser.open(inApp(tenant, `ledger?model=${encodeURIComponent(STRANGE)}`));
    await page.getByRole('button', { name: `Remove the filter Model: ${SHOWN}` }).waitFor();
    await expectMarkupAsText(page);
  });

  it('shows right-to-left text from right to left', async () => {
    await makeProject(service, RIGHT_TO_LEFT);
    await browser.goTo('/');
    await page.getByRole('cell', { name: RIGHT_TO_LEFT, exact: true }).waitFor();
    const cells = `[...document.querySelectorAll('td')].filter((cell) => cell.textContent === '${RIGHT_TO_LEFT}')`;
    expect(await page.evaluate<string>(`getComputedStyle(${cells}[0]).direction`)).toBe('rtl');
  });
});
