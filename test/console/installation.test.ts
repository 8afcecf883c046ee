import { packageVersion } from '../../src/platform/config/project-file.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';

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
    ['system', 'Jobs by name'],
  ])('is shown on the page /%s', async (path, text) => {
    await browser.see(`/${path}`, text);
    await browser.expectAccessible();
  });

  it('shows its health, and which check fails when it is not ready', async () => {
    await browser.see('/system', 'database');
    const health = page.getByText('Health of this process').locator('xpath=following-sibling::dl[1]');
    await health.getByText('up').first().waitFor();
    browser.expectRefusals(503);
    const message = 'This process cannot serve requests now.';
    const details = { checks: { database: { status: 'down', message: 'does not answer' } } };
    const json = { error: { code: 'NOT_READY', message, details } };
    await page.route('**/health/ready', (route) => route.fulfill({ status: 503, json }));
    await page.getByRole('alert').getByText(message).waitFor();
    await health.getByText('does not answer').waitFor();
    await page.unroute('**/health/ready');
    await page.getByRole('alert').waitFor({ state: 'detached' });
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
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
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
    expect((await own.getByRole('cell').allInnerTexts()).slice(1, 3)).toEqual(['all', packageVersion()]);
    await own.getByText('alive').waitFor();
    await browser.expectAccessible();
  });

  it('has another page for an unknown address', async () => {
    await browser.goTo('/nothing/here');
    await page.getByText('There is no page at this address').waitFor();
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
    expect(new URL(page.url()).searchParams.get('project')).toBe(tenant.projectId);
    await periods.getByText('1 to 3,650').first().waitFor();
    await browser.expectAccessible();
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

  it('becomes longer at once, and shorter only after it was said what that deletes', async () => {
    await days.fill('500');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await kept()).toBe(500);
    await days.fill('90');
    await save.click();
    await audit.getByText('All that is older than 90 days is deleted permanently within the hour.').waitFor();
    await browser.expectAccessible();
    expect(await kept()).toBe(500);
    await audit.getByRole('button', { name: 'Save: confirm' }).click();
    await audit.getByRole('button').first().waitFor({ state: 'detached' });
    expect(await kept()).toBe(90);
  });
});
