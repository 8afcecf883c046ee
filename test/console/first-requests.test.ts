import { Desk } from '../agent-assist/bots.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeApp, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { makeSession, user } from '../sessions/make.js';
import { runShown } from './shown-command.js';

const service = await startService();
const browser = await openSignedIn(service);
const { page } = browser;
beforeAll(() => browser.useClock());

const printed = () => page.getByRole('main').locator('pre').filter({ hasText: 'curl' }).first().innerText();

describe('the request that an empty page shows', () => {
  it.each([
    ['overview', 'Calls by group'],
    ['ledger', 'Calls of models'],
    ['traces', 'Traces'],
    ['files', 'Files'],
    ['agents', 'Agents'],
  ])('fills the page %s, as it is printed', async (path, table) => {
    const fresh = await makeTenant(service);
    await browser.open(inApp(fresh, path));
    expect(await runShown(service, fresh.key, await printed())).not.toContain('"error"');
    await browser.comeBackUntil(page.getByRole('table', { name: table, exact: true }));
  });

  it.each(['sessions', 'connections', 'mcp-connections', 'tools', 'models', 'webhooks', 'agent-assist'])(
    'is accepted, as the page %s prints it',
    async (path) => {
      const fresh = await makeTenant(service);
      await browser.open(inApp(fresh, path));
      const command = `${await printed()} -o /dev/null -w '%{http_code}'`;
      expect(await runShown(service, fresh.key, command)).toMatch(/^2\d\d$/);
    },
  );

  it('makes and activates the agent that answers in the playground', async () => {
    const fresh = await makeTenant(service);
    await browser.see(inApp(fresh, 'playground'), 'This app has no agent yet');
    expect(await runShown(service, fresh.key, await printed())).toContain('"agentId"');
    await browser.comeBackUntil(page.getByText('No agent answers in production yet.'));
    expect(await runShown(service, fresh.key, await printed())).toContain('"appVersionId":"av-');
    await browser.comeBackUntil(page.getByText('No agent answers in production yet.'), 'hidden');
  });

  it('reports the first conversation to a bot, and sends the first message of a session', async () => {
    const fresh = await makeTenant(service);
    const desk = await Desk.open(service, fresh);
    await browser.see(inApp(fresh, 'agent-assist'), 'No conversation was reported to this bot yet.');
    expect(await runShown(service, desk.token, await printed())).toContain('OK');
    await browser.comeBackUntil(page.getByRole('table', { name: 'Conversations' }));
    await makeActiveAgent(service, fresh);
    const { sessionId } = await makeSession(fresh, [user('ada')]);
    await browser.see(inApp(fresh, `sessions?session=${sessionId}`), 'No message was sent in this session yet.');
    expect(await runShown(service, fresh.key, await printed())).toContain('"output"');
  });

  it('makes the first scope of an app, its first key, and the first administration key', async () => {
    const { projectId } = await makeTenant(service);
    await browser.see(inApp({ appId: await makeApp(service, projectId) }, 'access'), 'This app has no scope yet');
    await page.getByText('Keys are created from a scope, so begin with one:').waitFor();
    expect(await runShown(service, '', await printed())).toContain('"scopeId"');
    await browser.comeBackUntil(page.getByText('This app has no API key. Create one above'));
    expect(await runShown(service, '', await printed())).toContain('"apikey"');
    await browser.see('/administrators', 'There is only the key in SLIPWAY_ADMIN_KEY.');
    expect(await runShown(service, '', await printed())).toContain('"adminKey"');
  });

  it('makes the first project of the installation', async () => {
    // The service has the projects of the other tests. Only its answer for an empty installation is played.
    const none = { json: { success: true, data: [], meta: { nextCursor: null } } };
    await page.route('**/ledger-summary?*', (route) => route.fulfill(none));
    await page.route('**/admin/v1/apps?*', (route) => route.fulfill(none));
    await browser.see('/', 'There is no project yet.');
    expect(await runShown(service, '', await printed())).toContain('"projectId"');
    await page.unroute('**/ledger-summary?*');
    await page.unroute('**/admin/v1/apps?*');
    await browser.comeBackUntil(page.getByRole('table', { name: 'Projects' }));
  });

  it('reports the first call of a model in the installation', async () => {
    const fresh = await makeTenant(service);
    await browser.open('/?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z');
    await page.getByText('No project has called a model in this period.').waitFor();
    // The page takes the project of any app. The key is that of this one.
    const command = (await printed()).replace(/projects\/[^/]+/, `projects/${fresh.projectId}`);
    expect(await runShown(service, fresh.key, command)).not.toContain('"error"');
  });

  it('counts the jobs', async () => {
    const none = { json: { success: true, data: [], meta: { nextCursor: null } } };
    await page.route('**/admin/v1/jobs?*', (route) => route.fulfill(none));
    await browser.see('/jobs', 'There is no job yet.');
    await page.unroute('**/admin/v1/jobs?*');
    expect(JSON.parse(await runShown(service, '', await printed()))).toMatchObject({ success: true });
  });
});
