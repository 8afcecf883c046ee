import { makeAgent } from '../agents/make.js';
import { newId } from '../../src/kernel/ids.js';
import { packageVersion } from '../../src/platform/config/project-file.js';
import { administratorOf, makeApp, makeProject, makeTenant } from '../support/actors.js';
import { endConsoleSessions } from '../support/console.js';
import { inApp, openSignedIn, pressAndConfirm, untilAnswered } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

describe('the installation', () => {
  it.each([
    ['', 'A project'],
    ['jobs', 'Attempts'],
    ['audit', 'scope created'],
    ['administrators', 'This browser'],
    ['system', `:${process.pid}`],
  ])('is shown on the page /%s', async (path, text) => {
    await browser.see(`/${path}`, text);
    await browser.expectAccessible();
  });

  it.each([
    ['/system', 'Processes', '"lastHeartbeatAt"'],
    ['/system', 'Jobs by name', '"oldestWaitingSeconds"'],
    ['/system', 'Retention', '"defaultDays"'],
    ['/administrators', 'Signed in to the console', '"userAgent"'],
  ])('copies the request of one section of %s: %s', async (path, title, answered) => {
    await browser.open(path);
    const command = await copiedBy(page.getByRole('button', { name: `Copy “${title}” as cURL` }));
    expect(await runShown(service, tenant.key, command)).toContain(answered);
  });

  it('leads from a page of one app to the same page of another one, and keeps nothing that was typed', async () => {
    const other = await makeTenant(service);
    await browser.goTo(inApp(tenant, 'playground'));
    const apps = page.getByLabel('App of these pages');
    const message = page.getByRole('textbox', { name: 'Message' });
    // The way back leads to an app that has been read.
    for (const { appId } of [other, tenant]) {
      await apps.locator(`option[value="${appId}"]`).waitFor({ state: 'attached' });
      await message.fill('Half a message');
      await apps.selectOption(appId);
      await page.waitForURL(`**${inApp({ appId }, 'playground')}`);
      await untilAnswered(message);
    }
  });

  it('shows its health, and which check fails when it is not ready', async () => {
    await browser.useClock();
    await browser.see('/system', 'Health of this process');
    const health = page.locator('dl').first();
    await health.getByText('Database', { exact: true }).waitFor();
    expect(await health.getByText('up').first().getAttribute('data-kind')).toBe('good');
    browser.expectRefusals(503);
    const message = 'This process cannot serve requests now.';
    const details = { checks: { database: { status: 'down', message: 'does not answer' } } };
    const json = { error: { code: 'NOT_READY', message, details } };
    await page.route('**/health/ready', (route) => route.fulfill({ status: 503, json }));
    await browser.comeBackUntil(page.getByRole('alert').getByText(message));
    await health.getByText('does not answer').waitFor();
    await page.unroute('**/health/ready');
    await browser.comeBackUntil(page.getByRole('alert'), 'hidden');
  });

  it('leads from a number of jobs to these jobs', async () => {
    const jobId = newId('job');
    await service.database.rows(
      `insert into job (id, name, lane, data, state, run_at, created_at)
       values ($1, 'webhooks.deliver', 'a lane', '{}', 'queued', now() + interval '1 day', now())`,
      [jobId],
    );
    for (const [table, name] of [
      ['Jobs by name', 'webhooks.deliver'],
      ['Fullest lanes', 'a lane'],
    ]) {
      await browser.open('/system');
      const row = page.getByRole('table', { name: table }).getByRole('row', { name });
      await row.getByRole('link', { name: '1' }).click();
      await page.getByRole('table', { name: 'Jobs', exact: true }).getByText(jobId).waitFor();
    }
    await browser.open('/system');
    await page.getByRole('table', { name: 'Fullest lanes' }).waitFor();
    await browser.expectAccessible();
  });

  it('leads to the queues in Redis, in a tab of their own', async () => {
    await browser.open('/system');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Queues in Redis (new tab)' }).click();
    const board = await opened;
    for (const queue of ['callbacks', 'dock', 'turns', 'upkeep']) await board.getByText(queue).first().waitFor();
    await board.close();
  });

  it('keeps its navigation beside a page that cannot be drawn', async () => {
    browser.expectReports(/map is not a function/);
    await page.route('**/processes', (route) => route.fulfill({ json: { success: true, data: 5 } }));
    await browser.open('/system');
    await page.getByRole('alert').getByText('is not a function').waitFor();
    await page.unroute('**/processes');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Processes' }).waitFor();
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
  });

  it('shows its processes, and which of them has died', async () => {
    await service.database.rows(
      `insert into service_process (id, name, role, version, started_at, seen_at)
       values ('gone', $1, 'worker', '0.0.1', now() - interval '2 hours', now() - interval '1 hour')`,
      [MARKUP],
    );
    await browser.open('/system');
    const rows = page.getByRole('table', { name: 'Processes' }).getByRole('row');
    await rows.filter({ hasText: MARKUP }).getByText('dead').waitFor();
    const own = rows.filter({ hasText: `:${process.pid}` });
    expect((await own.getByRole('cell').allInnerTexts()).slice(1, 4)).toEqual([
      'all',
      'dock, callbacks, turns, upkeep',
      packageVersion(),
    ]);
    await own.getByText('alive').waitFor();
    await browser.expectAccessible();
    await browser.expectToFit(390);
  });

  it('shows the changes of a period', async () => {
    const changes = page.getByRole('table', { name: 'Changes of the configuration' });
    await browser.open('/audit?kind=scope&period=1h');
    await changes.getByText('Scope created', { exact: true }).first().waitFor();
    await browser.open('/audit?kind=apiKey&period=1h');
    await changes.getByText('API key created', { exact: true }).first().waitFor();
    const past = 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z';
    await browser.see(`/audit?${past}`, 'There is no change in this period. Choose a longer one.');
    await browser.see(`/audit?kind=scope&${past}`, 'Nothing matches the filters.');
  });

  it('names what was changed, if the change tells its name', async () => {
    await browser.open('/audit?kind=project&period=1h');
    const changes = page.getByRole('table', { name: 'Changes of the configuration' });
    await changes.getByRole('row', { name: 'Project created' }).first().getByText('A project').waitFor();
  });

  it('renames a project, and deletes it when it is empty', async () => {
    browser.expectRefusals(409);
    const admin = administratorOf(service);
    const projectId = await makeProject(service, 'First house');
    const appId = await makeApp(service, projectId);
    await browser.open(`/?project=${projectId}`);
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: 'Rename the project' }).click();
    const form = panel.getByRole('form', { name: 'Save the name of the project' });
    await form.getByLabel('Name').fill('Second house');
    await form.getByRole('button', { name: 'Save the name of the project' }).click();
    await panel.getByRole('heading', { name: 'Second house' }).waitFor();
    await browser.expectAccessible();
    await pressAndConfirm(panel, 'Delete the project');
    await panel.getByRole('alert').getByText('PROJECT_NOT_EMPTY').waitFor();
    await admin.delete(`/api/admin/v1/apps/${appId}`);
    await pressAndConfirm(panel, 'Delete the project');
    await panel.waitFor({ state: 'detached' });
    expect((await admin.get(`/api/admin/v1/projects/${projectId}`)).outcome).toBe('404 PROJECT_NOT_FOUND');
  });
});

describe('the audit', () => {
  it('names what was changed also if the change does not tell the name', async () => {
    const admin = administratorOf(service);
    const { appId, scopeId, scopeName } = tenant;
    const permissions = { RUN_API: 'NO' };
    await admin.patch(`/api/admin/v1/apps/${appId}/scopes/${scopeId}`, { permissions });
    await browser.see(`/audit?kind=scope&projectId=${tenant.projectId}`, 'Scope changed');
    const scope = page.getByRole('row').filter({ hasText: 'Scope changed' });
    await scope.getByRole('cell', { name: scopeName, exact: true }).waitFor();
  });

  it('holds a list still while it shows more than its newest rows', async () => {
    // Each of the tenants leaves more than five entries.
    for (let made = 0; made < 10; made += 1) await makeTenant(service);
    await browser.open('/audit');
    const further = page.getByRole('button', { name: 'Show more' });
    await page.getByText('50 shown, and there are more').waitFor();
    await further.click();
    const newest = page.getByRole('button', { name: 'Refresh from the top' });
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
    const { agentId } = await makeAgent(service, tenant.appId);
    const path = `/api/admin/v1/apps/${tenant.appId}/agents/${agentId}`;
    const changed = await administratorOf(service).patch(path, { name: 'Renamed' });
    expect(changed.outcome).toBe('200');
    await browser.open(`/audit?kind=agent&projectId=${tenant.projectId}`);
    await page
      .getByRole('table', { name: 'Changes of the configuration' })
      .locator('tbody')
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('dialog').getByText(agentId, { exact: true }).waitFor();
    const value = (name: string) => page.getByRole('dialog').getByRole('region', { name, exact: true });
    expect(await value('After').innerText()).toContain('"Renamed"');
    expect(await value('Before').innerText()).not.toContain('"Renamed"');
    await page.waitForURL(({ searchParams }) => searchParams.has('entry'));
    const id = new URL(page.url()).searchParams.get('entry')!;
    await page.reload();
    await page.getByRole('dialog').getByText(id).waitFor();
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL(({ searchParams }) => [...searchParams.keys()].join() === 'kind,projectId');
  });
});

describe('the retention of a project', () => {
  const periods = page.getByRole('table', { name: 'Retention' });
  const days = periods.getByRole('spinbutton', { name: 'Days: Audit entries' });
  const audit = periods.getByRole('form', { name: 'Change how long these are kept: Audit entries' });
  const save = audit.getByRole('button', { name: 'Save', exact: true });

  const kept = async () => {
    const path = `/api/admin/v1/projects/${tenant.projectId}/retention`;
    const { body } = await administratorOf(service).get<{ data: { name: string; days: number }[] }>(path);
    return body.data.find(({ name }) => name === 'audit')!.days;
  };

  it('is shown for the project in the address', async () => {
    await browser.open('/system');
    await page.getByLabel('Project').selectOption(tenant.projectId);
    await page.waitForURL(({ searchParams }) => searchParams.get('project') === tenant.projectId);
    await periods.getByText('1 to 3,650').first().waitFor();
    await browser.expectAccessible();
  });

  it('begins with a project, without which nothing is kept', async () => {
    await page.route('**/admin/v1/projects?*', (route) =>
      route.fulfill({ json: { success: true, data: [], meta: { nextCursor: null } } }),
    );
    await browser.goTo('/system');
    await page.getByText('There is no project yet.').waitFor();
    expect(await periods.count()).toBe(0);
    await page.unroute('**/admin/v1/projects?*');
  });

  it('names the project in the address also if it was deleted', async () => {
    browser.expectRefusals(404);
    const gone = newId('project');
    await browser.open(`/system?project=${gone}`);
    await page.getByRole('alert').getByText('PROJECT_NOT_FOUND').waitFor();
    const project = page.getByLabel('Project');
    await project.locator('option').nth(1).waitFor({ state: 'attached' });
    expect(await project.locator('option:checked').innerText()).toBe(gone);
    await project.selectOption(tenant.projectId);
    await periods.getByText('1 to 3,650').first().waitFor();
  });

  it('is refused at the field, with what is allowed and the id of the request', async () => {
    browser.expectRefusals(400);
    await days.fill('4000');
    await save.click();
    await audit.getByText('must be whole days from 30 to 3650').waitFor();
    await audit.getByText(/tr-[0-9A-Za-z]{22}/).waitFor();
    await browser.expectAccessible();
    await audit.getByRole('button', { name: 'Keep 400' }).click();
    expect(await days.inputValue()).toBe('400');
    await audit.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('is refused when the session has ended, and no longer says so when the user has signed in', async () => {
    browser.expectRefusals(401);
    await days.fill('450');
    await endConsoleSessions(administratorOf(service));
    await save.click();
    const signIn = page.getByRole('dialog');
    await signIn.getByLabel('Administration key').fill(service.adminKey);
    // The page is hidden until then, so it has no roles.
    const refused = page.getByText('Sign in, and try again.');
    await refused.waitFor({ state: 'attached' });
    await signIn.getByRole('button', { name: 'Sign in' }).click();
    await refused.waitFor({ state: 'detached' });
    expect(await days.inputValue()).toBe('450');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await kept()).toBe(450);
  });

  it('becomes longer at once, and shorter only after it was said what that deletes', async () => {
    await days.fill('500');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await kept()).toBe(500);
    await days.fill('90');
    await save.dblclick();
    await audit.getByText('All that is older than 90 days is deleted permanently within the hour.').waitFor();
    await browser.expectAccessible();
    expect(await kept()).toBe(500);
    await audit.getByRole('button', { name: 'Save: confirm' }).click();
    await audit.getByRole('button').first().waitFor({ state: 'detached' });
    expect(await kept()).toBe(90);
  });
});
