import { toRedisAddress } from '../../src/platform/config/redis-address.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { RedisWithSentinels } from '../support/redis-sentinels.js';
import { startService } from '../support/service.js';

const redis = await RedisWithSentinels.start();
const service = await startService({ REDIS_URL: redis.url });
afterAll(async () => {
  await service.stop();
  await redis.stop();
});

it('finds Redis through its sentinels', async () => {
  const ready = () => new Client(service.url).get<{ checks: { redis: { status: string } } }>('/health/ready');
  await eventually(ready, ({ body }) => body.checks.redis.status === 'up');
});

it.each([
  ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
  ['redis://ada:p%40ss@10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, db: 3, username: 'ada', password: 'p@ss' }],
  ['rediss://:word@redis.test', { host: 'redis.test', password: 'word', tls: {} }],
  [
    'redis-sentinel://a,b:7/main',
    {
      name: 'main',
      sentinels: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 7 },
      ],
    },
  ],
  [
    'rediss-sentinel://a/main',
    { name: 'main', tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true, sentinels: [{ host: 'a', port: 26379 }] },
  ],
  ['redis-sentinel://ada:p%40ss@a:1/main', { name: 'main', username: 'ada', password: 'p@ss' }],
  ['redis-sentinel://:p:ss@a/main', { username: undefined, password: 'p:ss' }],
  ['redis://:p:ss@[fd00::1]', { host: 'fd00::1', port: 6379, password: 'p:ss' }],
  ['redis-sentinel://[fd00::1]:7/main', { sentinels: [{ host: 'fd00::1', port: 7 }] }],
])('understands the address %s', (url, options) => {
  expect(toRedisAddress(url)).toMatchObject({ nodes: [], options });
});
