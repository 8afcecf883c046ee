import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Store } from '../files/store.js';
import { checksum, continuation, createdTus, offsetOf } from '../files/tus.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { untilRunning } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';

/** The test sets the time, so that thirty seconds are over at once. */
const service = await startService();
const tenant = await makeTenant(service);
const store = new Store(service.settings, service.database);
const createPath = `/aaa/api/public/apps/${tenant.appId}/apikeys/create`;
afterAll(async () => {
  mock.timers.reset();
  await service.stop();
});

beforeAll(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds);
  await setImmediate();
}

it('cuts a body that has not arrived after thirty seconds', async () => {
  const { key, keyId } = tenant;
  const slow = openRequest(service.url, { verb: 'GET', path: '/api/public/me', key, begin: '{' });
  await untilRunning(service, keyId);
  await pass(29_000);
  let isAnswered = false;
  void slow.answer.then(() => (isAnswered = true));
  await pass(500);
  expect(isAnswered).toBe(false);

  await pass(1_000);
  const answer = await slow.answer;
  expect(answer.outcome).toBe('408 REQUEST_TIMEOUT');
  expect(answer.headers.get('connection')).toBe('close');
});

it('cuts an upload when nothing of it arrives for thirty seconds, however long it takes as a whole', async () => {
  const { key, keyId } = tenant;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const begin = '--b\r\ncontent-disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n';
  const slow = openRequest(service.url, { verb: 'POST', path: '/api/public/files', key, headers, begin });
  await untilRunning(service, keyId);
  let isAnswered = false;
  void slow.answer.then(() => (isAnswered = true));
  let written = 0;
  for (let times = 0; times < 5; times++) {
    slow.write('x'.repeat(600 * 1024));
    written = await eventually(
      () => store.bytes(),
      (bytes) => bytes > written,
    );
    await pass(30_000);
  }
  expect(isAnswered).toBe(false);

  await pass(30_000);
  const answer = await slow.answer;
  expect(answer.outcome).toBe('408 REQUEST_TIMEOUT');
  await eventually(
    () => store.names(),
    (names) => names.length === 0,
  );
});

it('lets an upload over tus take longer than other requests, and cuts it without an answer when nothing arrives', async () => {
  const { key, api } = tenant;
  const address = await createdTus(api);
  const server = service.app.getHttpServer();
  const { headersTimeout, requestTimeout } = server;
  const headers = continuation(0, { 'content-length': '6' });
  const slow = openRequest(service.url, { verb: 'PATCH', path: address, key, headers, begin: 'ab' });
  await eventually(async () => (await store.unkept()).length === 1);
  // Node takes the larger of both for the whole request.
  Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });
  // The server looks once a second, by a clock that the test has not set.
  const until = performance.now() + 2_500;
  await eventually(() => performance.now() > until);
  Object.assign(server, { headersTimeout, requestTimeout });
  slow.write('cd');
  await pass(30_000);
  await pass(30_000);
  await pass(30_000);
  await expect(slow.answer).rejects.toThrow(/socket hang up/);
  await eventually(async () => (await offsetOf(api, address)) === 4);
});

it('cuts an upload over tus with a checksum after half an hour, and keeps nothing of it', async () => {
  const { key, api } = tenant;
  const address = await createdTus(api, 1_000_000, { filename: 'slow.bin' });
  const before = (await store.unkept()).length;
  const connected = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
  const headers = continuation(0, checksum('all of it'));
  const slow = openRequest(service.url, { verb: 'PATCH', path: address, key, headers, begin: 'x' });
  const [socket] = await connected;
  await eventually(async () => (await store.unkept()).length === before + 1);
  let isAnswered = false;
  void slow.answer.then(() => (isAnswered = true));
  for (let halfMinutes = 0; halfMinutes < 60; halfMinutes += 1) {
    const { bytesRead } = socket;
    slow.write('x');
    await eventually(() => socket.bytesRead > bytesRead);
    expect(isAnswered).toBe(false);
    await pass(30_000);
  }
  expect((await slow.answer).outcome).toBe('408 REQUEST_TIMEOUT');
  await eventually(async () => (await store.unkept()).length === before);
  expect(await offsetOf(api, address)).toBe(0);
});

it('reads on for thirty seconds after a refusal, so that the client sees it, and no longer', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const length = 64 * 1024 * 1024;
  socket.write(
    `POST ${createPath} HTTP/1.1\r\nhost: x\r\nx-api-key: ${tenant.key}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);

  // Either kind of end will do, because some of the bytes may never be read.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  await pass(29_000);
  await new Promise((resolve) => socket.write('x'.repeat(1024 * 1024), resolve));
  expect(socket.destroyed).toBe(false);
  await pass(2_000);
  await closed;
});
