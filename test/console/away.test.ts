import { ConsoleBrowser } from '../support/console-browser.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const settings = settingsFor(await createDatabase());
const first = await startProcess(settings);
const browser = await ConsoleBrowser.open(first);
const { page } = browser;
let again: typeof first | undefined;
afterAll(async () => {
  await browser.close();
  await again?.stop();
});

const PATIENCE = { timeout: 30_000 };

it('a service that is away is said to be, what was typed stays, and the page comes back by itself', async () => {
  await browser.signIn();
  await browser.goTo('/administrators');
  await page.getByRole('textbox', { name: 'Name' }).fill('ada');
  browser.expectReports(/net::ERR_/);
  await first.kill();
  await page.getByRole('alert').getByText('The service does not answer.').first().waitFor(PATIENCE);
  await page.getByRole('button', { name: 'Make a key' }).click();
  again = await startProcess({ ...settings, PORT: new URL(first.url).port });
  await page.getByRole('table', { name: 'Console sessions' }).waitFor(PATIENCE);
  await page.getByRole('button', { name: 'Make a key' }).click(PATIENCE);
  await page.getByText('The key is shown only now').waitFor(PATIENCE);
  await page.getByRole('cell', { name: 'ada' }).first().waitFor();
  await page
    .getByRole('alert')
    .first()
    .waitFor({ state: 'detached', ...PATIENCE });
  browser.expectNoReports();
});
