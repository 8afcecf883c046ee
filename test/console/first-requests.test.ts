import { makeApp, makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { runShown } from './shown-command.js';

const service = await startService();
const browser = await openSignedIn(service);
const { page } = browser;

const of = ({ appId }: { appId: string }, path: string) => `/apps/${appId}/${path}`;
const printed = () => page.getByRole('main').locator('pre').filter({ hasText: 'curl' }).innerText();

describe('the request that an empty page shows', () => {
  it.each([
    ['overview', 'Calls by group'],
    ['ledger', 'Calls of models'],
    ['traces', 'Traces'],
    ['files', 'Files'],
    ['agents', 'Agents'],
  ])('fills the page %s, as it is printed', async (path, table) => {
    const fresh = await makeTenant(service);
    await browser.open(of(fresh, path));
    expect(await runShown(service, fresh.key, await printed())).not.toContain('"error"');
    await browser.comeBackUntil(page.getByRole('table', { name: table, exact: true }));
  });

  it.each(['sessions', 'connections', 'mcp-connections', 'tools', 'models', 'webhooks', 'agent-assist'])(
    'is accepted, as the page %s prints it',
    async (path) => {
      const fresh = await makeTenant(service);
      await browser.open(of(fresh, path));
      const command = `${await printed()} -o /dev/null -w '%{http_code}'`;
      expect(await runShown(service, fresh.key, command)).toMatch(/^2\d\d$/);
    },
  );

  it('makes the first scope of an app, its first key, and the first administration key', async () => {
    const { projectId } = await makeTenant(service);
    await browser.see(`/apps/${await makeApp(service, projectId)}/access`, 'This app has no scope yet');
    expect(await runShown(service, '', await printed())).toContain('"scopeId"');
    await browser.comeBackUntil(page.getByText('This app has no API key yet. Make one above'));
    expect(await runShown(service, '', await printed())).toContain('"apikey"');
    await browser.see('/administrators', 'Only the key in SLIPWAY_ADMIN_KEY administers.');
    expect(await runShown(service, '', await printed())).toContain('"adminKey"');
  });

  it('counts the jobs', async () => {
    await browser.see('/jobs?name=none', 'No job matches');
    expect(JSON.parse(await runShown(service, '', await printed()))).toMatchObject({ success: true });
  });
});
