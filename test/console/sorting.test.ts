import { upload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const tenant = await makeTenant(service);
/** One more than the first page of the list has. The newest file is the smallest, and has the last name. */
const FILES = 21;
for (let at = 1; at <= FILES; at++) {
  await upload(tenant.api, { name: `${String(at).padStart(2, '0')}.txt`, content: 'x'.repeat(100 - at) });
}
for (const [name, role] of [
  ['Berta', 'viewer'],
  ['Zoe', 'auditor'],
  ['Adam', 'operator'],
] as const) {
  await makeAdminKey(service, name, role);
}
const browser = await openSignedIn(service);
const { page } = browser;

const tableOf = (label: string) => page.getByRole('table', { name: label, exact: true });
const titleOf = (label: string, title: string) => tableOf(label).getByRole('columnheader', { name: title });
const press = (label: string, title: string) => titleOf(label, title).getByRole('button').click();

async function expectColumn(label: string, expected: readonly string[]): Promise<void> {
  const cells = tableOf(label).locator('tbody tr td:first-child');
  const isExpected = (texts: string[]) => JSON.stringify(texts) === JSON.stringify(expected);
  expect(await eventually(() => cells.allInnerTexts(), isExpected)).toEqual(expected);
}

const namesFrom = (first: number, step: 1 | -1, count: number) =>
  Array.from({ length: count }, (_, at) => `${String(first + step * at).padStart(2, '0')}.txt`);

it('sorts the files by a member, begins with their first page again, and keeps the order in the address', async () => {
  await browser.open(inApp(tenant, 'files'));
  await expectColumn('Files', namesFrom(FILES, -1, 20));
  expect(await titleOf('Files', 'Created').getAttribute('aria-sort')).toBe('descending');
  expect(await titleOf('Files', 'Context').getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('21 shown', { exact: true }).waitFor();
  await titleOf('Files', 'Size').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expectColumn('Files', namesFrom(1, 1, 20));
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Size ↓');
  expect(new URL(page.url()).searchParams.get('sort')).toBe('fileSize.desc');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expectColumn('Files', namesFrom(1, 1, 21));
  await page.reload();
  await expectColumn('Files', namesFrom(1, 1, 20));
  expect(await titleOf('Files', 'Size').getAttribute('aria-sort')).toBe('descending');
  expect(await titleOf('Files', 'Created').getAttribute('aria-sort')).toBeNull();
  await browser.expectAccessible();
  await press('Files', 'Size');
  await expectColumn('Files', namesFrom(FILES, -1, 20));
  expect(await titleOf('Files', 'Size').getAttribute('aria-sort')).toBe('ascending');
  await press('Files', 'Size');
  await titleOf('Files', 'Created').and(page.locator('[aria-sort=descending]')).waitFor();
  expect(new URL(page.url()).searchParams.get('sort')).toBeNull();
});

it('sorts two lists of one page, each by itself', async () => {
  await browser.open('/administrators');
  await expectColumn('Administration keys', ['Adam', 'Zoe', 'Berta']);
  await press('Administration keys', 'Name');
  await expectColumn('Administration keys', ['Adam', 'Berta', 'Zoe']);
  await press('Console sessions', 'Until');
  await titleOf('Console sessions', 'Until').and(page.locator('[aria-sort=ascending]')).waitFor();
  await page.reload();
  await expectColumn('Administration keys', ['Adam', 'Berta', 'Zoe']);
  await titleOf('Console sessions', 'Until').and(page.locator('[aria-sort=ascending]')).waitFor();
  expect(await titleOf('Administration keys', 'Name').getAttribute('aria-sort')).toBe('ascending');
  await press('Administration keys', 'Role');
  await titleOf('Administration keys', 'Role').and(page.locator('[aria-sort=ascending]')).waitFor();
  await browser.expectAccessible();
});

it.each(['constructor.asc', 'name', 'name.up.asc', '.', 'fileName.'])(
  'shows the files also if the address has the order %s',
  async (sort) => {
    await browser.see(inApp(tenant, `files?sort=${sort}`), '20 shown, and there are more');
  },
);

it('begins with the order of a column if the address has none', async () => {
  await browser.open(inApp(tenant, 'files?sort=fileName'));
  await expectColumn('Files', namesFrom(1, 1, 20));
});

it('asks for the jobs in the order of the address', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await browser.see('/jobs?sort=createdAt.asc', 'ledger.tidy');
  expect(requests.filter((url) => url.includes('/jobs?')).join()).toContain('sort=createdAt&order=asc');
  await browser.expectAccessible();
});
