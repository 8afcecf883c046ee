import { toRedisAddress } from '../../src/platform/config/redis-address.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeKey, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';

const cluster = await RedisCluster.start();
const settings: SettingsOfTest = {
  ...settingsFor(await createDatabase()),
  REDIS_URL: cluster.url,
  // A job that no bell announces begins too late for the tests.
  WORKER_LOOK_SECONDS: '60',
  RATE_LIMIT_DEFAULT: '5',
};
const api = await startProcess({ ...settings, SLIPWAY_ROLE: 'api' });
const worker = await startProcess({ ...settings, SLIPWAY_ROLE: 'worker' });
/** This process counts nothing, so the tests prepare their tenants through it. */
const free = await startProcess({ ...settings, SLIPWAY_ROLE: 'api', RATE_LIMIT_DEFAULT: '0' });
const tenant = await makeTenant(free);
await makeActiveAgent(free, tenant);

afterAll(async () => {
  await Promise.all([api, worker, free].map((process) => process.stop()));
  await cluster.stop();
});

interface Readiness {
  checks: { redis: { status: string } };
}

it.each([
  [
    'redis-cluster://a,b:7',
    [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7 },
    ],
    {},
  ],
  ['rediss-cluster://ada:p%40ss@a', [{ host: 'a', port: 6379 }], { username: 'ada', password: 'p@ss', tls: {} }],
])('understands the address %s', (url, nodes, options) => {
  expect(toRedisAddress(url)).toMatchObject({ nodes, options });
});

it('is ready with the address of one node', async () => {
  for (const { url } of [api, worker]) {
    await eventually(
      () => new Client(url).get<Readiness>('/health/ready'),
      ({ body }) => body.checks.redis.status === 'up',
    );
  }
});

it('wakes the worker for a message, and the process for requests for its answer', async () => {
  for (const word of ['one', 'two', 'three']) {
    expect((await say(tenant, 'a customer', word)).body).toMatchObject({ status: 'completed' });
  }
});

it('counts the requests of a key in all processes together', async () => {
  const { key } = await makeKey(free, tenant.appId, tenant.scopeName);
  const left = async () => (await Client.withKey(api, key).get('/api/public/me')).headers.get('ratelimit');
  expect([await left(), await left()].map((state) => /r=(\d+)/.exec(state!)![1])).toEqual(['4', '3']);
});

it('answers messages while a node fails over, and afterwards', async () => {
  const failedOver = cluster.failOver(`{${settings.REDIS_PREFIX}:turns}:id`);
  const during = say(tenant, 'a customer', 'Are you there?');
  await failedOver;
  expect((await during).body).toMatchObject({ status: 'completed' });
  for (const word of ['four', 'five']) {
    expect((await say(tenant, 'another customer', word)).body).toMatchObject({ status: 'completed' });
  }
});
