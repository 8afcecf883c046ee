import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { REVOKED, KeyListener } from '../../src/platform/auth/key-listener.js';
import { packageVersion } from '../../src/platform/config/project-file.js';
import { sql } from '../../src/platform/database/sql.js';
import { write } from '../../src/platform/database/statement.js';
import { Statements } from '../../src/platform/database/statements.js';
import {
  defineCounter,
  defineHistogram,
  type GaugeDefinition,
  metricDefinitions,
} from '../../src/platform/telemetry/metric-definition.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { administratorOf, makeProject, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { readMetric, readSamples } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { randomSecret } from '../support/settings.js';
import { subscribe } from '../webhooks/subscribe.js';
import { openRequest } from '../support/wire.js';

const TOKEN = randomSecret();
const service = await startService({ METRICS_TOKEN: TOKEN, TRUST_PROXY: '127.0.0.1', DATABASE_POOL: '2' });
const stranger = new Client(service.url);
const admin = administratorOf(service);
afterAll(() => service.stop());

const COUNT = 'slipway_http_request_duration_seconds_count';
const RUNNING = 'slipway_http_requests_running';
const PROJECT = '/api/admin/v1/projects/{projectId}';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const forwarded = { 'x-forwarded-for': '127.0.0.1' };

/**
 * Makes sure that the work counts so many requests with these labels. A request is counted after its answer, so the
 * counter is read until it has the number.
 */
async function expectCounted(labels: Record<string, string>, times: number, work: () => Promise<unknown>) {
  const before = await readMetric(service, COUNT, labels);
  await work();
  await eventually(
    () => readMetric(service, COUNT, labels),
    (now) => now === before + times,
  );
}

describe('the reader of the metrics', () => {
  it('may be anyone on this machine', async () => {
    const { outcome, headers } = await stranger.get('/metrics');
    expect(outcome).toBe('200');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('may be anyone who has the token, from anywhere', async () => {
    expect((await stranger.get('/metrics', { headers: { ...forwarded, ...bearer(TOKEN) } })).outcome).toBe('200');
  });

  it.each([
    ['without a token', {}],
    ['with another token', bearer(randomSecret())],
    ['with part of the token', bearer(TOKEN.slice(0, -1))],
    ['with the administration key', { 'x-api-key': service.adminKey }],
    ['with a token that is no bearer’s', { authorization: `Basic ${TOKEN}` }],
  ])('is not a client behind a proxy %s, although the proxy names this machine', async (_, headers) => {
    const answer = await stranger.get('/metrics', { headers: { ...forwarded, ...headers } });
    expect(answer.outcome).toBe('403 METRICS_DENIED');
    expect(answer.text).not.toContain('slipway_');
  });

  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address;

  // A machine whose only network is the loopback has no other address from which a request could come.
  (elsewhere ? it : it.skip)('is not who comes from another address', async () => {
    const open = await startProcess({ ...service.settings, HOST: '0.0.0.0', METRICS_TOKEN: '' });
    const url = `http://${elsewhere}:${new URL(open.url).port}`;
    expect((await new Client(url).get('/metrics')).outcome).toBe('403 METRICS_DENIED');
    expect((await new Client(url).get('/metrics', { headers: bearer(TOKEN) })).outcome).toBe('403 METRICS_DENIED');
    await open.kill();
  });
});

it('say which version runs, and how well the clock and the oldest job are', async () => {
  expect(await readMetric(service, 'slipway_info', { version: packageVersion() })).toBe(1);
  expect(Math.abs(await readMetric(service, 'slipway_clock_ahead_seconds'))).toBeLessThan(1);
  const samples = await readSamples(service);
  const oldest = samples.filter(({ name }) => name === 'slipway_jobs_oldest_seconds');
  expect(oldest.map(({ labels }) => labels.name)).toContain('agents.turn');
});

describe('requests', () => {
  it('are counted by route, however many paths it has', async () => {
    const ids = await Promise.all([makeProject(service), makeProject(service), makeProject(service)]);
    await expectCounted({ method: 'GET', route: PROJECT, status: '2xx' }, 3, () =>
      Promise.all(ids.map((id) => admin.get(`/api/admin/v1/projects/${id}`))),
    );
    expect((await stranger.get('/metrics')).text).not.toContain(ids[0]);
  });

  it('are counted by how they ended', async () => {
    await expectCounted({ route: PROJECT, status: '4xx' }, 1, () => admin.get('/api/admin/v1/projects/p-nobodys'));
    await expectCounted({ route: '/health/live', status: '2xx' }, 1, () => stranger.get('/health/live'));
  });

  it('for unknown paths share one label', async () => {
    await expectCounted({ route: 'none', status: '4xx' }, 20, () =>
      Promise.all(Array.from({ length: 20 }, (_, at) => stranger.get(`/nowhere/${at}`))),
    );
    const routes = new Set((await readSamples(service)).map(({ labels }) => labels.route));
    expect([...routes].filter((route) => route?.includes('nowhere'))).toEqual([]);
  });

  it('are counted while they run, and as cut when their client leaves', async () => {
    const { key } = await makeTenant(service);
    const running = openRequest(service.url, { verb: 'GET', path: '/api/public/me', key, begin: '{' });
    // The request for the metrics is running too.
    await eventually(
      () => readMetric(service, RUNNING),
      (count) => count === 2,
    );
    await expectCounted({ route: '/api/public/me', status: 'cut' }, 1, async () => running.abandon());
    expect(await readMetric(service, RUNNING)).toBe(1);
  });

  it('are measured in seconds', async () => {
    await stranger.get('/health/live');
    const labels = { route: '/health/live' };
    const seconds = await readMetric(service, 'slipway_http_request_duration_seconds_sum', labels);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds / (await readMetric(service, COUNT, labels))).toBeLessThan(1);
    expect(await readMetric(service, 'slipway_http_request_duration_seconds_bucket', { ...labels, le: '+Inf' })).toBe(
      await readMetric(service, COUNT, labels),
    );
  });
});

describe('the metrics of the parts', () => {
  it('count database connections, and the requests that wait for one', async () => {
    const statements = service.app.get(Statements);
    const busy = [1, 2, 3].map(() => statements.ask(write(sql`select pg_sleep(0.5)`)));
    await eventually(
      () => readMetric(service, 'slipway_database_waiting'),
      (waiting) => waiting >= 1,
    );
    expect(await readMetric(service, 'slipway_database_connections')).toBe(2);
    expect(await readMetric(service, 'slipway_database_connections_max')).toBe(2);
    await Promise.all(busy);
    await eventually(
      () => readMetric(service, 'slipway_database_connections_idle'),
      (idle) => idle >= 1,
    );
    await eventually(
      () => readMetric(service, 'slipway_database_waiting'),
      (waiting) => waiting === 0,
    );
  });

  it('say whether notifications of revoked keys arrive', async () => {
    const isReceiving = () => readMetric(service, 'slipway_revocations_heard');
    expect(await isReceiving()).toBe(1);
    // The test takes the listener's lock, so that the listener cannot listen again before the test releases it.
    const { processNumber } = service.app.get(KeyListener);
    const inTheWay = service.database.openTransaction('select pg_advisory_xact_lock($1, $2)', [
      REVOKED.lock,
      processNumber,
    ]);
    await eventually(() => service.database.rows(`select from pg_locks where not granted`), hasSome);
    await service.database.cut('slipway revocations');
    await eventually(isReceiving, (value) => value === 0);
    await (await inTheWay).commit();
    await eventually(isReceiving, (value) => value === 1);
  });

  it('say whether Redis answers', async () => {
    expect(await readMetric(service, 'slipway_redis_up')).toBe(1);
    const lonely = await startProcess({ ...service.settings, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await readMetric(lonely, 'slipway_redis_up')).toBe(0);
    await lonely.kill();
  });

  it('and of the process report event loop, memory and garbage', async () => {
    const names = new Set((await readSamples(service)).map(({ name }) => name));
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
    ])
      expect(names).toContain(name);
    expect((await stranger.get('/metrics')).text).toContain('nodejs_gc_duration_seconds');
  });
});

it('count the installation once for all processes, and in each process while Redis is away', async () => {
  const total = async (target: { url: string }) => readMetric(target, 'slipway_webhook_subscriptions');
  const sharing = { ...service.settings, METRICS_COUNT_SECONDS: '300' };
  const [first, second, alone] = await Promise.all([
    startProcess(sharing),
    startProcess({ ...sharing, SLIPWAY_ROLE: 'worker' }),
    startProcess({ ...sharing, SLIPWAY_ROLE: 'worker', REDIS_URL: 'redis://127.0.0.1:1' }),
  ]);
  const tenant = await makeTenant(service);
  expect(await total(first)).toBe(0);
  await subscribe(service, tenant, { callbackUrl: 'https://crm.example.com/slipway', appId: tenant.appId });
  expect(await total(second)).toBe(0);
  expect(await total(alone)).toBe(1);
  expect(await total(service)).toBe(1);
  await Promise.all([first, second, alone].map((process) => process.kill()));
});

it('report how much the folder of files still takes', async () => {
  const { DATA_DIR } = service.settings;
  const free = await readMetric(service, 'slipway_storage_free_bytes');
  const { bavail, bsize } = await statfs(DATA_DIR!);
  expect(free).toBeGreaterThan(0.9 * bavail * bsize);
  expect(free).toBeLessThan(1.1 * bavail * bsize);
});

it('are served by a worker too', async () => {
  const worker = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'worker' });
  expect(await readMetric(worker, 'slipway_redis_up')).toBe(1);
  expect((await new Client(worker.url).get('/metrics/more')).outcome).toBe('404 ROUTE_NOT_FOUND');
  await worker.kill();
});

function hasSome(rows: object[]): boolean {
  return rows.length > 0;
}

it.each<[answer: string, read: () => unknown]>([
  ['a text', () => '3'],
  ['nothing', () => undefined],
  ['an error', () => Promise.reject(new Error('Out of paper'))],
])('a gauge whose reading answers %s is left out alone, until it answers a number', async (_, read) => {
  const name = 'slipway_clock_ahead_seconds';
  const gauge = metricDefinitions().find((each) => each.name === name) as GaugeDefinition;
  const metrics = service.app.get(Metrics);
  metrics.read(gauge, read as () => number);
  const { outcome, text } = await stranger.get('/metrics');
  expect(outcome).toBe('200');
  expect(text).toContain('slipway_info{');
  expect(text).not.toContain(`\n${name} `);
  metrics.read(gauge, () => 3);
  expect((await stranger.get('/metrics')).text).toContain(`\n${name} 3\n`);
});

it('a counter without the ending of its kind is refused, and a label that Prometheus itself writes', () => {
  expect(() => defineCounter('acme_orders', { help: 'Orders.' })).toThrow(
    'acme_orders of a counter must end with _total',
  );
  expect(() => defineHistogram('acme_seconds', { help: 'Times.', labels: ['le'], buckets: [1] })).toThrow(
    'acme_seconds cannot have the label le',
  );
});
