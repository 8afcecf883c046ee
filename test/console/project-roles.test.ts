import { makeTenant } from '../support/actors.js';
import { administratorWith } from '../support/admin-keys.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';

const service = await startService();
const browser = await openSignedIn(service);
const { page } = browser;
const links = page.getByRole('navigation').getByRole('link');

it('makes keys for one project or all, and shows where each has its role', async () => {
  const tenant = await makeTenant(service);
  await browser.see('/administrators', 'This browser');
  const form = page.getByRole('form', { name: 'Create an administration key' });
  const keys = page.getByRole('table', { name: 'Administration keys' });
  await form.locator(`option[value="${tenant.projectId}"]`).waitFor({ state: 'attached' });
  await form.getByLabel('Role').selectOption('viewer');
  await form.getByLabel('In', { exact: true }).selectOption(tenant.projectId);
  await form.getByLabel('Name').fill('of one project');
  await form.getByRole('button').click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await keys.getByRole('row').filter({ hasText: 'of one project' }).getByText('viewer in A project').waitFor();
  await form.getByLabel('In', { exact: true }).selectOption('All projects');
  await form.getByLabel('Name').fill('of all projects');
  await form.getByRole('button').click();
  const everywhere = keys.getByRole('row').filter({ hasText: 'of all projects' });
  await everywhere.getByRole('cell', { name: 'viewer', exact: true }).waitFor();
  expect(await links.allInnerTexts()).toEqual(['Projects', 'Jobs', 'Audit', 'Administrators', 'System']);
});

it('says the role of who reads alone, and offers no changes', async () => {
  const tenant = await makeTenant(service);
  await browser.signInAtOnce(await administratorWith(service, 'viewer'));
  await browser.goTo(inApp(tenant, 'access'));
  await page.getByRole('banner').getByText('· viewer').waitFor();
  expect(await links.allInnerTexts()).not.toContain('Audit');
  const revoke = page
    .getByRole('table', { name: 'API keys' })
    .getByRole('button', { name: /^Revoke/ })
    .first();
  await revoke.waitFor();
  expect(await revoke.isDisabled()).toBe(true);
  expect(await revoke.getAttribute('title')).toBe('Your role can read, and change nothing.');
  await browser.see(inApp(tenant, 'agents'), 'This app has no agent yet.');
  expect(await page.getByRole('button', { name: 'New agent' }).isDisabled()).toBe(true);
});

it('shows an administrator of one project this project, and no page of the whole installation', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  await browser.signInAtOnce(await administratorWith(service, 'viewer', mine.projectId));
  await browser.goTo('/');
  await page.getByRole('main').getByRole('link', { name: 'An app' }).first().waitFor();
  expect(await links.allInnerTexts()).toEqual(['Projects']);
  await page.getByRole('banner').getByText('· roles in projects').waitFor();
  const main = page.getByRole('main');
  expect(await main.innerHTML()).toContain(mine.appId);
  expect(await main.innerHTML()).not.toContain(theirs.appId);
  await page.getByRole('button', { name: 'New project' }).waitFor({ state: 'detached' });
  await browser.see(inApp(mine, 'connections'), 'This project reaches no model provider yet.');
  await page.getByRole('banner').getByText('· viewer in this project').waitFor();
  // A link leads to a page that the navigation leaves out, and the refusal says who reads it.
  browser.expectRefusals(403);
  await browser.open('/audit');
  await page.getByRole('alert').getByText('PERMISSION_DENIED').waitFor();
  await page
    .getByRole('alert')
    .getByText(/^Only an administrator with the role .* may do this\.$/)
    .waitFor();
});

it('tells an administrator of one project that jobs have failed, without a link to the jobs of all', async () => {
  const { projectId, appId } = await makeTenant(service);
  await browser.signInAtOnce(await administratorWith(service, 'viewer', projectId));
  const problem = { kind: 'JOBS_FAILED', message: '1 job “dock” failed.', subject: 'dock', since: null };
  await page.route(`**/projects/${projectId}/problems`, (route) => route.fulfill({ json: { data: [problem] } }));
  await browser.goTo(inApp({ appId }, 'overview'));
  const problems = page.getByRole('region', { name: 'Problems now' });
  await problems.getByText(problem.message).waitFor();
  expect(await problems.getByRole('link').count()).toBe(0);
  // The calls are those of the project, whose name the page has.
  await page.getByRole('heading', { name: 'A project', level: 1 }).waitFor();
});

it('shows an auditor of one project the audit of this project', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  await browser.signInAtOnce(await administratorWith(service, 'auditor', mine.projectId));
  await browser.goTo('/audit');
  const changes = page.getByRole('table', { name: 'Changes of the configuration' });
  await changes.getByText('scope created').first().waitFor();
  expect(await links.allInnerTexts()).toEqual(['Projects', 'Audit']);
  expect(await page.getByRole('main').getByLabel('Project', { exact: true }).inputValue()).toBe(mine.projectId);
  await changes.getByRole('row').filter({ hasText: 'scope created' }).getByRole('button').first().click();
  await page.getByRole('dialog').getByText('{appId}/scopes').first().waitFor();
  expect(await page.getByRole('main').innerHTML()).not.toContain(theirs.projectId);
});
