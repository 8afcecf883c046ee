import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { downloaded } from '../support/download.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const { body: run } = await say(tenant, 'ada', `Hello ${MARKUP}`);
const browser = await openSignedIn(service);
const { page } = browser;

const LEDGER = `/apps/${tenant.appId}/ledger`;

it('shows a call with its messages beside the ledger, and leads to its trace and its session', async () => {
  await browser.open(LEDGER);
  await page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').first().click();
  await page.getByRole('dialog').getByText(`Hello ${MARKUP}`).first().waitFor();
  await browser.expectAccessible();
  const command = await copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy as cURL' }));
  expect(await runShown(service, tenant.key, command)).toContain('"payload"');
  await page.getByRole('link', { name: 'Show its trace' }).click();
  await page.getByRole('table', { name: 'Steps of the trace' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Show its session' }).click();
  await page.getByRole('heading', { name: `Session ${run.session.sessionId}` }).waitFor();
});

it('closes what was opened beside a list by going back, and returns the focus of the keyboard', async () => {
  await browser.open(LEDGER);
  const row = page.getByRole('table', { name: 'Calls of models' }).locator('tbody button').first();
  for (const close of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await row.click();
    await page.getByRole('dialog').getByText('Time').first().waitFor();
    await close();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toMatch(/\/ledger$/);
    expect(new URL(page.url()).searchParams.get('call')).toBeNull();
    await page.locator('.list button:focus').waitFor();
  }
});

it('keeps the filters of the ledger in the address', async () => {
  await browser.goTo(LEDGER);
  await page.getByLabel('Value').selectOption('failed');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByText('No call of a model matches').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  await page.reload();
  await page.getByRole('button', { name: 'Remove the filter Status: failed' }).click();
  await page.getByRole('table', { name: 'Calls of models' }).waitFor();
});

it('finds calls by their channel, its type, and the subtype of their source', async () => {
  for (const name of ['channel', 'channelType', 'sourceSubtype']) {
    await browser.see(`${LEDGER}?${name}=none`, 'No call of a model matches');
  }
  await browser.see(`${LEDGER}?sourceSubtype=response_generation`, 'mock');
});

it('exports the calls that match the filters of the ledger', async () => {
  await browser.open(`${LEDGER}?status=success`);
  const some = await downloaded(page, page.getByRole('button', { name: 'Export as NDJSON' }));
  expect([some.name, some.content.toString()]).toEqual(['calls.ndjson', expect.stringContaining('mock')]);
  await browser.open(`${LEDGER}?status=failed`);
  const none = await downloaded(page, page.getByRole('button', { name: 'Export as CSV' }));
  expect([none.name, none.content.toString().trim().split('\n')]).toEqual(['calls.csv', [expect.any(String)]]);
});

it('exports after all when the first attempt has failed', async () => {
  browser.expectRefusals(503);
  await browser.goTo(`${LEDGER}?status=success`);
  const refusal = { error: { code: 'SERVER_BUSY', message: 'Too many requests run. Try again.' } };
  await page.route('**/export.csv*', (route) => route.fulfill({ status: 503, json: refusal }), { times: 1 });
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Too many requests run.' });
  await alert.waitFor();
  const { content } = await downloaded(page, page.getByRole('button', { name: 'Export as CSV' }));
  expect(content.toString()).toContain('mock');
  await alert.waitFor({ state: 'detached' });
});

it('leads keyboards past the navigation', async () => {
  await browser.goTo(LEDGER);
  await page.getByRole('table', { name: 'Calls of models' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)).toBe(true);
});
