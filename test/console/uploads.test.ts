import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendChunks, startedUpload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';

/** The console sends chunks of this size. */
const CHUNK = 8 * 1024 * 1024;
const buffer = Buffer.alloc(2 * CHUNK + 1_000, 'line of text\n');

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;
afterAll(() => rmSync(folder, { recursive: true }));

const files = `/apps/${tenant.appId}/files`;
const folder = mkdtempSync(join(tmpdir(), 'slipway-upload-'));
const choose = async (name: string, content = buffer) => {
  writeFileSync(join(folder, name), content);
  await page.locator('input[type=file]').setInputFiles(join(folder, name));
};

it('uploads a file in chunks, and lists it', async () => {
  await browser.goTo(files);
  await page.getByRole('button', { name: 'Upload a file' }).waitFor();
  await choose('orders.txt');
  await page.getByRole('cell', { name: 'orders.txt' }).waitFor();
  await browser.expectAccessible();
});

it('continues an upload after a reload, with the chunks that are missing', async () => {
  const sessionId = await startedUpload(tenant.api, { fileName: 'long.txt', fileSize: buffer.length, totalChunks: 3 });
  await sendChunks(tenant.api, sessionId, { 0: new Uint8Array(buffer.subarray(0, CHUNK)) });
  await browser.see(`${files}?upload=${sessionId}`, 'long.txt: 1 of 3 chunks');
  await browser.expectAccessible();
  await choose('other.txt', Buffer.from('other'));
  await page.getByRole('alert').getByText('This is another file. Choose long.txt').waitFor();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await choose('long.txt');
  await page.getByRole('cell', { name: 'long.txt' }).waitFor();
  const path = `/api/public/files/session/${sessionId}`;
  expect(sent).toEqual([path, path, `${path}/complete`]);
  expect(new URL(page.url()).searchParams.has('upload')).toBe(false);
});
