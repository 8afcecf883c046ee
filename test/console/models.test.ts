import { importModel, PATIENCE_MS } from '../models/models.js';
import { makeTenant } from '../support/actors.js';
import { faultsOf, inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { downloaded } from '../support/download.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const address = inApp(tenant, 'models');
const panel = page.getByRole('dialog');
const job = page.getByRole('region', { name: 'Followed job' });
const patience = { timeout: PATIENCE_MS };

async function upload(name: string, content: Buffer): Promise<void> {
  const mimeType = 'application/octet-stream';
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: content });
}

it('uploads a model, follows its import, deploys it with the form, and shows its replicas', async () => {
  await browser.open(address);
  await page.getByRole('button', { name: 'Upload and import' }).waitFor();
  await upload('chat.gguf', tinyModel());
  await job.getByText('Succeeded').waitFor(patience);
  await browser.expectAccessible();
  await job.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('table', { name: 'Models' }).getByRole('button', { name: 'chat' }).click();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).click();
  const form = panel.getByRole('form', { name: 'Deploy the model' });
  await form.getByRole('textbox', { name: 'Name' }).fill('chat-live');
  await form.getByLabel('Replicas, at most').fill('2');
  await browser.expectAccessible();
  await form.getByRole('button', { name: 'Deploy the model' }).click();
  await job.getByText('Deployment of chat').first().waitFor(patience);
  await job.getByText('Succeeded').waitFor(patience);
  await panel.getByText('Replicas that answer calls: 1 of 1 to 2').waitFor(patience);
  await panel.getByRole('region', { name: 'Deployment' }).getByText('chat-live').waitFor();
  await panel.getByRole('table', { name: 'Replicas' }).getByText('Ready').waitFor();
  await browser.expectAccessible();
});

it('exports the model, says how a deployed one can be deleted, and undeploys it', async () => {
  await browser.open(address);
  await page.getByRole('table', { name: 'Models' }).getByRole('button', { name: 'chat' }).click();
  await panel.getByRole('button', { name: 'Export' }).click();
  const command = await copiedBy(panel.getByRole('button', { name: 'Copy as cURL' }));
  expect(await runShown(service, tenant.key, command)).toContain('"chat"');
  const { content } = await downloaded(page, job.getByRole('link', { name: 'Download the export' }));
  expect(content.equals(tinyModel())).toBe(true);
  await panel.getByText('The model can be deleted when it is undeployed.').waitFor();
  expect(await panel.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await pressAndConfirm(panel, 'Undeploy');
  await panel.getByText('Ready to deploy').waitFor(patience);
  expect(await panel.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(false);
});

it('manages a model that an API key imported', async () => {
  const modelId = await importModel(tenant.api);
  await browser.open(`${address}?model=${modelId}`);
  await panel.getByRole('button', { name: 'Export' }).click();
  const { content } = await downloaded(page, job.getByRole('link', { name: 'Download the export' }));
  expect(content.equals(tinyModel())).toBe(true);
});

it('shows why an import has failed, also after a reload', async () => {
  await browser.goTo(address);
  await page.getByRole('button', { name: 'Upload and import' }).waitFor();
  await upload('broken.gguf', tinyModel().subarray(0, 2_000));
  await job.getByText('MODEL_FILE_TRUNCATED').waitFor(patience);
  await page.reload();
  await job.getByText('MODEL_FILE_TRUNCATED').waitFor();
});

it('deletes the model whose import has failed, which is a problem until then', async () => {
  await browser.open(inApp(tenant, 'overview'));
  await page.getByRole('region', { name: 'Problems now' }).getByRole('link', { name: 'broken' }).click();
  await pressAndConfirm(panel, 'Delete');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Models' }).waitFor();
  await page.getByRole('button', { name: 'broken' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Nothing is wrong now.').waitFor();
});

it('keeps the values of a deployment that the API refuses, with the members at fault', async () => {
  browser.expectRefusals(400);
  const modelId = await importModel(tenant.api);
  await browser.open(`${address}?model=${modelId}`);
  await panel.getByRole('button', { name: 'Deploy', exact: true }).click();
  const form = panel.getByRole('form', { name: 'Deploy the model' });
  await form.getByLabel('Temperature').fill('3');
  await form.getByRole('button', { name: 'Deploy the model' }).click();
  await faultsOf(form, 'Temperature').waitFor();
  expect(await form.getByLabel('Temperature').inputValue()).toBe('3');
});

it('uploads an adapter, and imports it as one', async () => {
  await browser.open(address);
  await page.getByLabel('Kind of file').selectOption('Adapter');
  await upload('polite.gguf', tinyAdapter());
  await job.getByText('Succeeded').waitFor(patience);
  const row = page.getByRole('table', { name: 'Models' }).getByRole('row').filter({ hasText: 'polite' });
  await row.getByText('Adapter', { exact: true }).waitFor();
});

it('imports a dataset, which cannot be deployed', async () => {
  await browser.open(address);
  await page.getByLabel('Kind of file').selectOption('Dataset');
  await upload('orders.csv', Buffer.from('id,total\n1,20\n'));
  await job.getByText('Succeeded').waitFor(patience);
  await job.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('table', { name: 'Models' }).getByRole('button', { name: 'orders' }).click();
  await panel.getByRole('button', { name: 'Export' }).waitFor();
  expect(await panel.getByRole('button', { name: 'Deploy', exact: true }).count()).toBe(0);
});
