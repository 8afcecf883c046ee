import { once } from 'node:events';
import { connect } from 'node:net';
import { newKeyValue } from '../../src/kernel/key-format.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { readMetric } from '../support/metrics.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';
import { sendBytes } from '../support/wire.js';

const LIMIT = 3;
const service = await startService({
  RATE_LIMIT_FAILED_AUTH: String(LIMIT),
  TRUST_PROXY: '127.0.0.1',
  REDIS_URL: redisDatabase(7),
});
afterAll(() => service.stop());

const ME = '/api/public/me';

describe('refused credentials of an IPv6 address', () => {
  const statusFrom = async (address: string) =>
    (await new Client(service.url, { 'x-forwarded-for': address, 'x-api-key': newKeyValue('sw_') }).get(ME)).status;

  it.each([
    [
      'of one /64 are counted together',
      ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1:ffff::1'],
      '2001:db8:1:1:a:b:c:d',
      429,
    ],
    ['of two /64 are not', ['2001:db8:2:1::1', '2001:db8:2:1::2', '2001:db8:2:1::3'], '2001:db8:2:2::1', 401],
    ['are the same with zeros and without', ['2001:db8::1', '2001:db8:0:0::2', '2001:db8::3'], '2001:db8:0:0:5::', 429],
    [
      'that are an IPv4 one in disguise are counted with it',
      ['::ffff:198.51.100.1', '198.51.100.1', '198.51.100.1'],
      '198.51.100.1',
      429,
    ],
    [
      'that are another IPv4 one in disguise are not',
      ['::ffff:198.51.100.2', '198.51.100.2', '198.51.100.2'],
      '198.51.100.3',
      401,
    ],
  ])('%s', async (_, addresses, last, status) => {
    for (const address of addresses) expect(await statusFrom(address)).toBe(401);
    expect(await statusFrom(last)).toBe(status);
  });
});

describe('an odd request', () => {
  it('with two hosts is refused', async () => {
    const answer = await sendBytes(service.url, 'GET /health/live HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n');
    expect(answer.outcome).toBe('400 MALFORMED_REQUEST');
  });

  it('with five kilobytes of Accept is answered with JSON, at once', async () => {
    const accept = `application/problem+json, ${'x/y;q=0.1, '.repeat(500)}*/*;q=0.1`;
    const begun = performance.now();
    const { outcome, headers } = await new Client(service.url).get('/nowhere', { headers: { accept } });
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(outcome).toBe('404 ROUTE_NOT_FOUND');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('ends when its client resets the connection, and harms no other request', async () => {
    const { hostname, port } = new URL(service.url);
    const head = `POST /api/admin/v1/projects HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.adminKey}\r\n`;
    const socket = connect(Number(port), hostname);
    socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"name":`);
    const running = () => readMetric(service, 'slipway_http_requests_running');
    await eventually(running, (count) => count === 2);
    socket.resetAndDestroy();
    await eventually(running, (count) => count === 1);
    expect((await new Client(service.url).get('/health/live')).outcome).toBe('200');
    expect(await service.database.rows('select from project')).toEqual([]);
  });
});

describe('a client that sends requests without waiting for answers', () => {
  const ask = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n';

  it('gets all answers in order', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
    socket.write(ask.repeat(10));
    await eventually(() => received.split('HTTP/1.1 200').length === 11);
    socket.destroy();
  });

  it('is cut when it sends far too many', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(ask.repeat(1_000));
    await closed;
  });
});

it('finds only the declared document', async () => {
  const stranger = new Client(service.url);
  for (const path of ['/docs-yaml', '/docs-json'])
    expect((await stranger.get(path)).outcome).toBe('404 ROUTE_NOT_FOUND');
  expect((await stranger.get('/openapi.json')).outcome).toBe('200');
});
