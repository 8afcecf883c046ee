import { once } from 'node:events';
import { connect } from 'node:net';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeTenant } from '../support/actors.js';
import { untilRunning } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';

/** Time passes as the test says: thirty seconds are over at once. */
const service = await startService();
const tenant = await makeTenant(service);
const createPath = `/aaa/api/public/apps/${tenant.appId}/apikeys/create`;
afterEach(() => mock.timers.reset());
afterAll(() => service.stop());

const takeOverTimers = () => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds);
  await setImmediate();
}

it('cuts a body that has not arrived after thirty seconds', async () => {
  takeOverTimers();
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

it('reads on for thirty seconds after a refusal, so that the client sees it, and no longer', async () => {
  takeOverTimers();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const length = 64 * 1024 * 1024;
  socket.write(
    `POST ${createPath} HTTP/1.1\r\nhost: x\r\nx-api-key: ${tenant.key}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);

  // However it ends: there may be bytes that nobody reads any more.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  await pass(29_000);
  await new Promise((resolve) => socket.write('x'.repeat(1024 * 1024), resolve));
  expect(socket.destroyed).toBe(false);
  await pass(2_000);
  await closed;
});
