import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { complete, open, sendChunks, startedUpload, upload } from '../files/files.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const contents = new Map<string, Buffer>();
/** The status of all answers while the server is full or broken. */
let fault: number | undefined;

/** Keeps what it gets, and answers ranges. */
const server = createServer((request, response) => {
  void (async () => {
    const name = request.url!.slice(1);
    const content = await buffer(request).catch(() => undefined);
    if (fault !== undefined) return response.writeHead(fault).end();
    if (name === 'location') return response.end('the only one');
    if (request.method === 'PUT' && content) contents.set(name, content);
    if (request.method === 'DELETE') contents.delete(name);
    if (request.method !== 'GET') return response.end();
    const [start, end] = request.headers.range!.replace('bytes=', '').split('-').map(Number);
    return response.writeHead(206).end(contents.get(name)!.subarray(start, end! + 1));
  })();
});
await once(server.listen(0, '127.0.0.1'), 'listening');

const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const url = await createDatabase();
const database = new TestDatabase(url);
const settings = {
  ...settingsFor(url),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./storage.plugin.mjs', import.meta.url)),
  ACME_URL: `http://${host}`,
  STORAGE_URL: `acme://${host}`,
};
const service = await startProcess(settings);
const { api, projectId } = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await database.end();
  server.close();
});

const storageCheck = async () => {
  const { body } = await new Client(service.url).get<{ checks: { storage: object } }>('/health/ready');
  return body.checks.storage;
};

it('stores files in the storage of a plugin, reads parts of them, and removes them', async () => {
  const { body } = await upload(api);
  const [content] = contents.values();
  expect(content!.toString()).toBe('Hello, file');
  expect((await open(body.url)).bytes.toString()).toBe('Hello, file');
  expect((await open(body.url, { range: 'bytes=7-10' })).bytes.toString()).toBe('file');
  await administratorOf(service).delete(`/api/admin/v1/projects/${projectId}/files/${body.fileId}`);
  await eventually(async () => {
    await database.rows('update unkept_object set due_at = now()');
    await database.rows(`update job set run_at = now() where name = 'storage.sweep' and state = 'queued'`);
    return contents.size === 0;
  });
});

it('stores a file that arrives in chunks', async () => {
  const sessionId = await startedUpload(api, { fileSize: 11, totalChunks: 2 });
  await sendChunks(api, sessionId, { 0: 'Hello, ', 1: 'file' });
  const { body } = await complete(api, sessionId);
  expect((await open(body.url)).bytes.toString()).toBe('Hello, file');
});

it('says so while the storage of the plugin is full or away, and recovers', async () => {
  fault = 507;
  expect((await upload(api)).outcome).toBe('507 STORAGE_FULL');
  fault = 500;
  expect((await upload(api)).outcome).toBe('503 STORAGE_UNAVAILABLE');
  expect(await storageCheck()).toMatchObject({ status: 'degraded', message: 'cannot be used' });
  fault = undefined;
  expect((await upload(api)).outcome).toBe('201');
  expect(await storageCheck()).toEqual({ status: 'up' });
});

it.each([
  ['ftp://canary/folder', 'STORAGE_URL begins with ftp:, and has to begin with one of acme:, file:, s3:.'],
  ['acme:///folder', 'STORAGE_URL must have a server after acme://.'],
  ['s3:///folder', 'STORAGE_URL must have a bucket after s3://, such as s3://bucket/folder.'],
  ['s3://bucket?regoin=x', 'STORAGE_URL has the unknown parameter regoin; the known ones are region and endpoint.'],
])('does not start with the storage %s, and changes nothing', async (STORAGE_URL, sentence) => {
  const DATABASE_URL = await createEmptyDatabase();
  await expect(startProcess({ ...settings, DATABASE_URL, STORAGE_URL })).rejects.toThrow(sentence);
  const empty = new TestDatabase(DATABASE_URL);
  expect(await empty.tables()).toEqual([]);
  await empty.end();
});

it('does not start if two classes store contents at addresses of one scheme', async () => {
  await expect(startProcess({ ...settings, ACME_SCHEME: 's3' })).rejects.toThrow(
    'AcmeStorages of the configuration and S3Storages of Slipway both store contents at addresses of the scheme s3.',
  );
});
