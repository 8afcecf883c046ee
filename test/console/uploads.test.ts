import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { progressOf, sendChunks, startedUpload, upload } from '../files/files.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';

/** The console sends chunks of this size. */
const CHUNK = 8 * 1024 * 1024;
const buffer = Buffer.alloc(2 * CHUNK + 1_000, 'line of text\n');

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;
afterAll(() => rmSync(folder, { recursive: true }));

const files = inApp(tenant, 'files');
const folder = mkdtempSync(join(tmpdir(), 'slipway-upload-'));
const choose = async (name: string, content = buffer) => {
  const path = join(folder, name);
  // A file that is written again has another time of its last change.
  if (!existsSync(path) || !readFileSync(path).equals(content)) writeFileSync(path, content);
  await page.locator('input[type=file]').setInputFiles(path);
};

/** Waits until the address names an upload, or names none. */
const untilAddressed = (isThere: boolean) =>
  page.waitForURL(({ searchParams }) => searchParams.has('upload') === isThere);

it('uploads a file in chunks, says so when it is uploaded, and lists it as the newest', async () => {
  await upload(tenant.api, { name: 'earliest.txt' });
  await Promise.all(Array.from({ length: 20 }, () => upload(tenant.api, { name: 'earlier.txt' })));
  await browser.goTo(files);
  await page.getByRole('button', { name: 'Upload a file' }).waitFor();
  await choose('orders.txt');
  await page.getByRole('status').getByText('orders.txt has been uploaded.').waitFor();
  const rows = page.getByRole('table', { name: 'Files' }).getByRole('row');
  await rows.nth(1).getByRole('cell', { name: 'orders.txt', exact: true }).waitFor();
  await page.getByText('20 shown, and there are more').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.last().getByRole('cell', { name: 'earliest.txt', exact: true }).waitFor();
  await browser.expectAccessible();
});

it('says that the name of a file has no extension', async () => {
  await browser.open(files);
  await choose('readme', Buffer.from('text'));
  await page.getByRole('alert').getByText('The name of the file has no extension').waitFor();
});

it('continues an upload after a reload, with the chunks that are missing', async () => {
  const sessionId = await startedUpload(tenant.api, { fileName: 'long.txt', fileSize: buffer.length, totalChunks: 3 });
  await sendChunks(tenant.api, sessionId, { 0: new Uint8Array(buffer.subarray(0, CHUNK)) });
  await browser.see(`${files}?upload=${sessionId}`, 'long.txt: 1 of 3 chunks');
  await browser.expectAccessible();
  await choose('other.txt', Buffer.from('other'));
  await page.getByRole('alert').getByText('This is another file, or it has changed. Choose long.txt').waitFor();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await choose('long.txt');
  await page.getByRole('cell', { name: 'long.txt', exact: true }).waitFor();
  const path = `/api/public/files/session/${sessionId}`;
  expect(sent).toEqual([path, path, `${path}/complete`]);
  await untilAddressed(false);
});

it('shows the uploads that are not complete, of which one is continued and one is discarded', async () => {
  const [closed, foreign] = [
    await startedUpload(tenant.api, { fileName: 'closed.txt', fileSize: CHUNK + 10, totalChunks: 2 }),
    await startedUpload(tenant.api, { fileName: 'foreign.txt', fileSize: CHUNK + 10, totalChunks: 3 }),
  ];
  await sendChunks(tenant.api, closed, { 0: new Uint8Array(buffer.subarray(0, CHUNK)) });
  await browser.see(files, 'closed.txt is not complete: 8.0 MiB of 8.0 MiB, until');
  await browser.expectAccessible();
  const other = page.getByRole('region', { name: 'Upload of foreign.txt' });
  await other.getByText('The program that began it can continue it.').waitFor();
  await pressAndConfirm(other, 'Discard');
  await other.waitFor({ state: 'detached' });
  expect((await progressOf(tenant.api, foreign)).outcome).toBe('404 UPLOAD_NOT_FOUND');

  const listed = page.getByRole('region', { name: 'Upload of closed.txt' });
  await listed.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Choose closed.txt again to continue' }).waitFor();
  expect(await listed.count()).toBe(0);
  await choose('closed.txt', buffer.subarray(0, CHUNK + 10));
  await page.getByRole('cell', { name: 'closed.txt', exact: true }).waitFor();
  await untilAddressed(false);
  await listed.waitFor({ state: 'detached' });
});

describe('an upload whose page is left', () => {
  const models = inApp(tenant, 'models');
  const twoChunks = buffer.subarray(0, CHUNK + 1_000);
  /** The browser brings the body of each request here that a test may hold, which takes most of a second for a chunk. */
  const oneChunk = buffer.subarray(0, 1_000);
  const isChunk = ({ pathname }: URL) => /\/session\/us-\w+$/.test(pathname);
  const announced = page.getByRole('status');
  const discard = page.getByRole('button', { name: 'Discard', exact: true });
  const confirm = page.getByRole('button', { name: 'Discard: confirm' });
  let held: Route[] = [];
  /** The number of the chunk that waits for the test. */
  let awaited = 1;
  const heldChunk = async () => (await eventually(() => held[0]))!;

  beforeEach(async () => {
    held = [];
    awaited = 1;
    let chunks = 0;
    await page.route(isChunk, async (route) => {
      if (route.request().method() === 'POST') chunks += 1;
      if (chunks === awaited && held.length === 0) held.push(route);
      else await route.continue();
    });
    await browser.open(files);
  });
  afterEach(() => page.unroute(isChunk));

  /** Begins an upload and leaves its page while its last chunk waits. Returns the id of the upload. */
  async function leave(name: string, content = oneChunk): Promise<string> {
    awaited = content === oneChunk ? 1 : 2;
    const progress = page.getByText(`${name}: ${awaited - 1} of ${awaited} chunks`);
    await choose(name, content);
    await progress.waitFor();
    await untilAddressed(true);
    const sessionId = new URL(page.url()).searchParams.get('upload')!;
    await browser.open(models);
    await progress.waitFor();
    await announced.getByText('The upload goes on while you look at other pages.').waitFor();
    expect(await announced.getByText('chunks').count()).toBe(0);
    return sessionId;
  }

  it('goes on, and is seen on the pages for uploads', async () => {
    await leave('away.txt', twoChunks);
    await browser.expectAccessible();
    await (await heldChunk()).continue();
    await discard.waitFor({ state: 'detached' });
    await browser.open(files);
    await page.getByRole('cell', { name: 'away.txt', exact: true }).waitFor();
  });

  it('goes on by itself when the service answers again', async () => {
    browser.expectReports(/ERR_FAILED/);
    await leave('again.txt');
    await browser.useClock();
    await (await heldChunk()).abort();
    await page.getByRole('alert').getByText('The page tries again by itself.').waitFor();
    await page.clock.runFor(6_000);
    await browser.open(files);
    await page.getByRole('cell', { name: 'again.txt', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says that it has stopped, and why', async () => {
    browser.expectRefusals(403);
    await leave('broken.txt');
    await (await heldChunk()).fulfill({ status: 403, body: 'No.' });
    await page.getByText('The upload has stopped.').waitFor();
    await browser.open(files);
    await page.getByRole('alert').getByText('HTTP_403').waitFor();
    await choose('broken.txt', oneChunk);
    await page.getByRole('cell', { name: 'broken.txt', exact: true }).waitFor();
  });

  it('is not continued with another file of the same name and size', async () => {
    browser.expectRefusals(403);
    const sessionId = await leave('same.txt');
    await (await heldChunk()).fulfill({ status: 403, body: 'No.' });
    await page.getByText('The upload has stopped.').waitFor();
    await browser.goTo(`${files}?upload=${sessionId}`);
    await page.getByText('same.txt: 0 of 1 chunks').waitFor();
    await choose('same.txt', Buffer.alloc(oneChunk.length, 'another'));
    await page.getByRole('alert').getByText('This is another file, or it has changed.').waitFor();
    await pressAndConfirm(page, 'Discard');
    await untilAddressed(false);
  });

  it('of a model is shown on its page after a reload, and goes on when its file is chosen again', async () => {
    const shown = page.getByRole('region', { name: 'Upload of chat.gguf' });
    await interrupt('chat.gguf', tinyModel());
    await shown.getByText('chat.gguf is not complete: 0 B of').waitFor();
    await browser.expectAccessible();
    await choose('chat.gguf', tinyModel());
    await page.getByRole('region', { name: 'Followed job' }).getByText('Succeeded').waitFor();
    await shown.waitFor({ state: 'detached' });
    expect(await named('files', ({ fileName }) => fileName === 'chat.gguf')).toBe(1);
    expect(await named('models', ({ name }) => name === 'chat')).toBe(1);
  });

  it('of a model is not continued as one of an adapter', async () => {
    const shown = page.getByRole('region', { name: 'Upload of polite.gguf' });
    const kinds = async (kind: string) => named('models', (model) => model.name === 'polite' && model.kind === kind);
    await interrupt('polite.gguf', tinyAdapter());
    await shown.waitFor();
    await page.getByLabel('Kind of file').selectOption('Adapter');
    await choose('polite.gguf', tinyAdapter());
    await page.getByRole('region', { name: 'Followed job' }).getByText('Succeeded').waitFor();
    expect([await kinds('model'), await kinds('adapter')]).toEqual([1, 1]);
    await pressAndConfirm(shown, 'Discard');
    await shown.waitFor({ state: 'detached' });
  });

  /** Begins the upload of a model, and loads its page again before the only chunk arrives. */
  async function interrupt(name: string, content: Buffer<ArrayBuffer>): Promise<void> {
    await browser.open(models);
    await choose(name, content);
    await heldChunk();
    await browser.goTo(models);
  }

  /** The number of the project's files or models that the function accepts. */
  async function named(what: 'files' | 'models', isMeant: (each: Record<string, unknown>) => boolean): Promise<number> {
    const { body } = await administratorOf(service).get<{ data: Record<string, unknown>[] }>(
      `/api/admin/v1/projects/${tenant.projectId}/${what}?limit=100`,
    );
    return body.data.filter(isMeant).length;
  }

  it('can be discarded, which frees its space', async () => {
    browser.expectReports(/ERR_ABORTED/);
    const sessionId = await leave('unwanted.txt');
    await pressAndConfirm(page, 'Discard');
    await discard.or(confirm).waitFor({ state: 'detached' });
    expect((await progressOf(tenant.api, sessionId)).outcome).toBe('404 UPLOAD_NOT_FOUND');
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

it('keeps the use of the storage when it cannot be read again', async () => {
  const isStorage = ({ pathname }: URL) => pathname.endsWith('/storage');
  browser.expectRefusals(404);
  await browser.see(files, /files with/);
  await page.route(isStorage, (route) => route.fulfill({ status: 404, body: 'gone' }));
  await browser.lookAway();
  await browser.comeBack();
  await page.getByRole('alert').getByText('HTTP_404').waitFor();
  expect(await page.getByText(/files with/).count()).toBe(1);
  await page.unroute(isStorage);
});

it('leaves an upload that does not exist any more', async () => {
  browser.expectRefusals(404);
  await browser.open(`${files}?upload=us-${'0'.repeat(22)}`);
  await page.getByRole('alert').getByText('UPLOAD_NOT_FOUND').waitFor();
  await pressAndConfirm(page, 'Discard');
  await page.getByRole('button', { name: 'Upload a file' }).waitFor();
  await untilAddressed(false);
});
