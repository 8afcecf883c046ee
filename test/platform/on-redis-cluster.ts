import { makeActiveAgent, say } from '../agents/make.js';
import { makeKey, makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';

interface Readiness {
  checks: { redis: { status: string } };
}

/** Declares the tests of processes whose `REDIS_URL` is that of a cluster. */
export function testOnRedisCluster({ tls }: { tls: boolean }): void {
  let cluster: RedisCluster;
  let settings: SettingsOfTest;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  /** This process counts nothing, so the tests prepare their tenants through it. */
  let free: ServiceProcess;
  let tenant: Tenant;

  beforeAll(async () => {
    cluster = await RedisCluster.start({ tls });
    settings = {
      ...settingsFor(await createDatabase()),
      REDIS_URL: cluster.url,
      ...(cluster.authority && { NODE_EXTRA_CA_CERTS: cluster.authority }),
      // A job that no bell announces begins too late for the tests.
      WORKER_LOOK_SECONDS: '60',
      RATE_LIMIT_DEFAULT: '5',
    };
    api = await startProcess({ ...settings, SLIPWAY_ROLE: 'api' });
    worker = await startProcess({ ...settings, SLIPWAY_ROLE: 'worker' });
    free = await startProcess({ ...settings, SLIPWAY_ROLE: 'api', RATE_LIMIT_DEFAULT: '0' });
    tenant = await makeTenant(free);
    await makeActiveAgent(free, tenant);
  });
  afterAll(async () => {
    await Promise.all([api, worker, free].map((process) => process?.stop()));
    await cluster?.stop();
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
}
