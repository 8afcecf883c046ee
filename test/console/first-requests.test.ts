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
    expect(await runShown(service, '', await printed())).toContain('"scopeId"');
    await browser.comeBackUntil(page.getByText('This app has no API key. Create one above'));
    expect(await runShown(service, '', await printed())).toContain('"apikey"');
    await browser.see('/administrators', 'There is only the key in SLIPWAY_ADMIN_KEY.');
    expect(await runShown(service, '', await printed())).toContain('"adminKey"');
  });

  it('counts the jobs', async () => {
    await browser.see('/jobs?name=none', 'No job matches');
    expect(JSON.parse(await runShown(service, '', await printed()))).toMatchObject({ success: true });
  });
});
