import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Storage } from '../../src/platform/storage/storage.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { startS3 } from '../support/s3-server.js';
import { startService } from '../support/service.js';
import { complete, open, openRefused, progressOf, sendChunk, sendChunks, startedUpload, upload } from './files.js';
import { whileStorageFails } from './storage-faults.js';
import { Store } from './store.js';

const service = await startService();
const storage = service.app.get(Storage);
const store = new Store(service.settings, service.database);
const { api } = await makeTenant(service);
const stranger = new Client(service.url);
afterAll(() => service.stop());

describe('a store without room', () => {
  it.each(['ENOSPC', 'EDQUOT'])(
    '(%s) refuses a file, keeps nothing of it, and accepts it when there is room',
    async (code) => {
      const sent = { name: 'a.bin', content: new Uint8Array(1_000_000) };
      const answer = await whileStorageFails(storage, code, () => upload(api, sent));
      expect(answer.outcome).toBe('507 STORAGE_FULL');
      await store.untilNothingIsLeft();
      expect((await upload(api, sent)).outcome).toBe('201');
    },
  );

  it('refuses a chunk, and the upload continues when there is room', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 0: 'aa', 1: 'bb' });
    const answer = await whileStorageFails(storage, 'ENOSPC', () => sendChunk(api, sessionId, 2, 'cc'));
    expect(answer.outcome).toBe('507 STORAGE_FULL');
    await store.untilNothingIsLeft();
    expect((await progressOf(api, sessionId)).body.missingChunks).toEqual([2]);
    await sendChunks(api, sessionId, { 2: 'cc' });
    expect((await complete(api, sessionId)).outcome).toBe('200');
  });
});

it('a failure of the store is answered 503 with Retry-After', async () => {
  const answer = await whileStorageFails(storage, 'EIO', () => upload(api));
  expect(answer.outcome).toBe('503 STORAGE_UNAVAILABLE');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await store.untilNothingIsLeft();
});

it('without its store, the service is degraded and files are unavailable until the store is back', async () => {
  const { url } = (await upload(api)).body;
  await rename(store.folder, `${store.folder}-away`);
  const ready = await stranger.get('/health/ready');
  expect(ready.outcome).toBe('200');
  expect(ready.body).toMatchObject({ status: 'degraded', checks: { storage: { status: 'degraded' } } });
  expect((await upload(api)).outcome).toBe('503 STORAGE_UNAVAILABLE');
  expect((await openRefused(service, url)).outcome).toBe('503 STORAGE_UNAVAILABLE');
  await rename(`${store.folder}-away`, store.folder);
  expect((await stranger.get('/health/ready')).outcome).toBe('200');
  expect((await open(url)).status).toBe(200);
});

it('a part that is lost cuts the download short, and the log says so', async () => {
  const second = await startProcess({ ...service.settings, LOG_LEVEL: 'error' });
  const sessionId = await startedUpload(api, { totalChunks: 2, fileSize: 4 });
  await sendChunks(api, sessionId, { 0: 'aa', 1: 'bb' });
  const { url } = (await complete(api, sessionId)).body;
  const [{ object } = { object: '' }] = await service.database.rows<{ object: string }>(
    'select object from file_part where content_id = $1 order by number desc limit 1',
    [sessionId],
  );
  await rm(join(store.folder, object.slice(-2), object));
  const { pathname, search } = new URL(url);
  await expect(open(second.url + pathname + search)).rejects.toThrow();
  const lines = () => Promise.resolve(second.output().split('\n'));
  const [line] = await eventually(
    async () => (await lines()).filter((each) => each.includes('"code":"STORAGE_UNAVAILABLE"')),
    (found) => found.length > 0,
  );
  expect(line).toContain(object);
  await second.stop();
});

describe('a further process', () => {
  it('starts with the same folder, and serves files that others have stored', async () => {
    const { body } = await upload(api);
    const second = await startProcess(service.settings);
    const { pathname, search } = new URL(body.url);
    expect((await open(second.url + pathname + search)).bytes.toString()).toBe('Hello, file');
    await second.stop();
  });

  it('does not start with another folder, and says why', async () => {
    const elsewhere = { ...service.settings, DATA_DIR: join(service.settings.DATA_DIR!, 'elsewhere') };
    await expect(startProcess(elsewhere)).rejects.toThrow(/STORAGE_URL leads to file:.* All processes have to share/);
  });

  it('does not start with a bucket where the others have a folder', async () => {
    const s3 = await startS3();
    await expect(startProcess({ ...service.settings, ...s3.settings })).rejects.toThrow(/STORAGE_URL leads to s3:/);
    await s3.stop();
  });
});
