import { makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { fillApp, LONG, MARKUP, RIGHT_TO_LEFT } from './filled-app.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const receiver = await Receiver.start();
const empty = await makeTenant(service);
const { tenant, sessionId, agentId } = await fillApp(service, receiver);
const browser = await openSignedIn(service, receiver);
const { page } = browser;

const of = ({ appId }: { appId: string }, path: string) => `/apps/${appId}/${path}`;

describe('an app without anything', () => {
  it.each([
    ['overview', 'No model was called'],
    ['ledger', 'No call of a model matches'],
    ['sessions', 'No session of this period matches'],
    ['traces', 'No trace matches'],
    ['playground', 'This app has no agent yet'],
    ['agents', 'This app has no agent yet'],
    ['connections', 'This project reaches no model provider yet'],
    ['mcp-connections', 'Agents of this project reach no MCP server yet'],
    ['tools', 'This project has no tool yet'],
    ['models', 'This project has no model yet'],
    ['files', 'This project has no file'],
    ['webhooks', 'No receiver gets callbacks'],
    ['agent-assist', 'No contact centre reports'],
    ['access', 'API keys'],
  ])('says on its page %s what to do next', async (path, text) => {
    await browser.see(of(empty, path), text);
    await browser.expectAccessible();
  });
});

describe('an app with everything', () => {
  it.each([
    ['overview', 'mock'],
    ['ledger', 'mock'],
    ['sessions', sessionId],
    ['traces', /^t-/],
    ['agents', MARKUP],
    ['connections', 'gpt-5-mini'],
    ['mcp-connections', `https://mcp.example.com/${LONG}`],
    ['tools', 'DEPLOYED'],
    ['files', 'nnnn'],
    ['webhooks', receiver.url()],
    ['agent-assist', 'call-1'],
    ['access', 'HTTP_ASYNC_SEND'],
  ])('is shown on the page %s', async (path, text) => {
    await browser.see(of(tenant, path), text);
    await browser.expectAccessible();
  });

  it('leads from an app to its overview', async () => {
    await browser.see(of(tenant, ''), 'Average latency');
    expect(new URL(page.url()).pathname).toMatch(/\/overview$/);
  });

  it.each([
    [of(tenant, 'tools'), 'Tools', '"callflows"'],
    [of(tenant, 'files'), 'Files', '"fileContext"'],
    [of(tenant, 'connections'), 'Connections', 'gpt-5-mini'],
    [of(tenant, 'agent-assist'), 'Conversations', '"timeline"'],
    ['/jobs', 'Jobs', '"progress"'],
    ['/audit', 'Changes of the configuration', '"after"'],
  ])('copies the request of what is opened on %s', async (path, table, answered) => {
    await browser.open(path);
    await page.getByRole('table', { name: table }).getByRole('button').first().click();
    const command = await copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy as cURL' }));
    expect(await runShown(service, tenant.key, command)).toContain(answered);
  });

  it('holds a list still while it shows more than its newest rows', async () => {
    // Each of the tenants leaves more than five entries.
    for (let made = 0; made < 10; made += 1) await makeTenant(service);
    await browser.open('/audit');
    const further = page.getByRole('button', { name: 'Show more' });
    await page.getByText('50 shown, and there are more').waitFor();
    await further.click();
    const newest = page.getByRole('button', { name: 'Show the newest' });
    await newest.waitFor();
    let asked = 0;
    await page.route('**/audit?*', (route) => {
      asked += 1;
      return route.continue();
    });
    await browser.comeBack();
    await newest.click();
    await page.getByText('50 shown, and there are more').waitFor();
    expect(asked).toBe(1);
    await newest.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('keeps the opened entry of the audit in the address', async () => {
    await browser.open(`/audit?kind=agent&projectId=${tenant.projectId}`);
    await page.getByRole('table', { name: 'Changes of the configuration' }).getByRole('button').first().click();
    await page.getByRole('dialog').getByText(agentId, { exact: true }).waitFor();
    const id = new URL(page.url()).searchParams.get('entry')!;
    await page.reload();
    await page.getByRole('dialog').getByText(id).waitFor();
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Close' }).click();
    expect([...new URL(page.url()).searchParams.keys()]).toEqual(['kind', 'projectId']);
  });

  it('leads to each page from the navigation, in a low window too', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await browser.open(of(tenant, 'overview'));
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('heading', { name: 'Access' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('changes an agent, activates the version that this makes, and rolls it back', async () => {
    await browser.see(of(tenant, 'agents'), 'No other version was active before.');
    await browser.open(of(tenant, `agents?agent=${agentId}`));
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.');
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByRole('button', { name: 'Version 2' }).click();
    const differences = page.getByRole('table', { name: 'Settings that differ' });
    await differences.getByRole('cell', { name: 'Be brief.' }).waitFor();
    await differences.getByRole('cell', { name: RIGHT_TO_LEFT }).waitFor();
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('It answers in production now.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const newest = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
    await newest.getByRole('cell', { name: 'production' }).waitFor();
    expect(await newest.getByRole('cell').first().innerText()).toBe('Version 2');
    await page.getByText('Active in production').waitFor();
    await browser.open(of(tenant, 'agents'));
    const active = page.getByRole('table', { name: 'Active versions' });
    await active.getByRole('cell', { name: ', version 2' }).waitFor();
    await active.getByText(/^to .*, version 1$/).waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('button', { name: 'Roll back: confirm' }).click();
    await active.getByRole('cell', { name: ', version 1' }).waitFor();
  });

  it('runs a tool, and shows the run node by node', async () => {
    await browser.open(of(tenant, 'tools'));
    await page.getByRole('table', { name: 'Tools' }).getByRole('button').first().click();
    await page.getByRole('button', { name: 'Run the tool' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('Completed').waitFor();
    await page.getByRole('table', { name: 'Runs' }).getByRole('button').first().click();
    await page.getByRole('table', { name: 'Nodes of the run' }).getByText('work').waitFor();
  });

  it('shows a delivery with its attempts, replays it, and sends a test callback', async () => {
    await browser.open(of(tenant, 'webhooks'));
    await page.getByRole('button', { name: 'Web chat' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().click();
    const attempt = (number: number) =>
      page.getByRole('dialog').getByRole('region', { name: `Attempt ${number}`, exact: true });
    await attempt(1).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await attempt(2).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Send a test callback' }).click();
    await page.getByText('2 shown').waitFor();
    await page.getByLabel('Value').selectOption('FAILED');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText('No delivery matches').waitFor();
    const command = await copiedBy(page.getByRole('button', { name: 'Copy the deliveries as cURL' }));
    expect(await runShown(service, tenant.key, command)).toContain('"data":[]');
  });

  it('disables a subscription, enables it, and says how many failed deliveries it sends again', async () => {
    await browser.open(of(tenant, 'webhooks'));
    await page.getByRole('button', { name: 'Web chat' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    const held = Promise.withResolvers<void>();
    await page.route('**/webhook-subscriptions/*', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Disable: confirm' }).click();
    await page.locator('button[data-loading]', { hasText: 'Disable: confirm' }).waitFor();
    held.resolve();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.unroute('**/webhook-subscriptions/*');
    await page.getByRole('button', { name: 'Replay all failed' }).click();
    await page.getByRole('button', { name: 'Replay all failed: confirm' }).click();
    await page.getByText('Failed deliveries that are sent again: 0').waitFor();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText('Callbacks also have a signature with the present secret for one more day.').waitFor();
    await page.getByRole('button', { name: 'Leave it' }).click();
  });

  it('shows a made API key once', async () => {
    await browser.open(of(tenant, 'access'));
    await page.getByRole('textbox', { name: 'Name' }).fill('made in the console');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('The key is shown only now').waitFor();
    const key = page.getByText(/^sw_/).first();
    await key.waitFor();
    const { y, height } = (await key.boundingBox())!;
    expect(y + height).toBeLessThan(900);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('cell', { name: 'made in the console' }).waitFor();
  });

  it('shows the timeline of a conversation of the contact centre', async () => {
    await browser.open(of(tenant, 'agent-assist'));
    await page.getByRole('button', { name: 'call-1' }).click();
    const conversation = page.getByRole('dialog');
    await conversation.getByText(MARKUP).first().waitFor();
    await conversation.getByText('Agent A').first().waitFor();
    await conversation.getByText(/Summary before last exit: \w/).waitFor();
    await conversation
      .getByRole('region', { name: /^Summary/ })
      .getByText('ready')
      .waitFor();
    await conversation.getByText(/^Text of summary/).waitFor();
    await browser.expectAccessible();
  });

  it('shows more of a long timeline', async () => {
    await browser.open(of(tenant, 'agent-assist?conversation=call-2'));
    await page.getByText('100 of 120 events shown').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Show more' }).click();
    await page.getByText('120 of 120 events shown').waitFor();
  });
});

describe('in dark colors', () => {
  beforeAll(() => page.emulateMedia({ colorScheme: 'dark' }));
  afterAll(() => page.emulateMedia({ colorScheme: 'light' }));

  it.each([
    ['overview', 'mock'],
    ['ledger', 'mock'],
    ['agents', MARKUP],
    ['access', 'HTTP_ASYNC_SEND'],
  ])('the page %s can be read as well', async (path, text) => {
    await browser.see(of(tenant, path), text);
    await browser.expectAccessible();
  });
});
