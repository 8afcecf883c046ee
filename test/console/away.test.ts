import { ConsoleBrowser } from '../support/console-browser.js';
import { startService } from '../support/service.js';

const first = await startService();
const browser = await ConsoleBrowser.open(first);
const { page } = browser;
let again: typeof first | undefined;
afterAll(async () => {
  await browser.close();
  await again?.stop();
});

it('a service that is away is said to be, what was typed stays, and the page comes back by itself', async () => {
  await browser.signIn();
  await browser.open('/administrators');
  await page.getByRole('textbox', { name: 'Name' }).fill('ada');
  browser.expectReports(/net::ERR_/);
  await first.stop();
  await browser.comeBackUntil(page.getByRole('alert').getByText('The service does not answer.'));
  await page.getByRole('button', { name: 'Make a key' }).click();
  again = await startService({ ...first.settings, PORT: new URL(first.url).port });
  await page.getByRole('table', { name: 'Console sessions' }).waitFor();
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('The key is shown only now').waitFor();
  await page.getByRole('cell', { name: 'ada' }).first().waitFor();
  await page.getByRole('alert').first().waitFor({ state: 'detached' });
  browser.expectNoReports();
});
