import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../scripts/services/postgres.mjs';
import { makeKey, makeTenant, revoke } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { signalPostgres } from '../support/server-signal.js';
import { settingsFor } from '../support/settings.js';

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-database-'));
chmodSync(dataDir, 0o755);
const log = () => undefined;
let postgres = await startPostgres({ dataDir, log });
const service = await startProcess(settingsFor(postgres.url));
const tenant = await makeTenant(service);

afterAll(async () => {
  await service.kill();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const stranger = new Client(service.url);
const outcome = async () => (await tenant.api.get('/api/public/me')).outcome;

/** The limit is far below the timeout of any client. */
async function inBoundedTime<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  expect(performance.now() - begun).toBeLessThan(6_000);
  return result;
}

/** Returns when the service has noticed it, too. Until then it accepts the keys that it knows. */
async function stopDatabase(): Promise<void> {
  signalPostgres(dataDir, 'SIGKILL');
  await postgres.exited;
  await eventually(outcome, (now) => now === '503 DATABASE_UNAVAILABLE');
}

async function startDatabase(): Promise<void> {
  postgres = await startPostgres({ dataDir, log, port: postgres.port });
  await eventually(outcome, (now) => now === '200');
}

it('answers 503 while its database is away, and again as before once it is back', async () => {
  expect(await outcome()).toBe('200');
  await stopDatabase();

  for (let round = 0; round < 3; round += 1) {
    const answer = await inBoundedTime(() => tenant.api.get('/api/public/me'));
    expect(answer.outcome).toBe('503 DATABASE_UNAVAILABLE');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const many = await inBoundedTime(() =>
    Promise.all(Array.from({ length: 50 }, () => tenant.api.get('/api/public/me'))),
  );
  expect(new Set(many.map(({ outcome }) => outcome))).toEqual(new Set(['503 DATABASE_UNAVAILABLE']));

  await startDatabase();
  const { api, keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  expect((await api.get('/api/public/me')).outcome).toBe('200');
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
  expect((await api.get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');
});

it('still answers what needs no database', async () => {
  await stopDatabase();
  expect((await stranger.get('/health/live')).outcome).toBe('200');
  expect((await stranger.get('/nowhere')).outcome).toBe('404 ROUTE_NOT_FOUND');
  const mistyped = Client.withKey(service, tenant.key.slice(0, -1));
  expect((await mistyped.get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');

  const ready = await inBoundedTime(() => stranger.get('/health/ready'));
  expect(ready).toMatchObject({
    outcome: '503 NOT_READY',
    body: { error: { details: { checks: { database: { status: 'down' } } } } },
  });
  await startDatabase();
  await eventually(async () => (await stranger.get('/health/ready')).status === 200);
});

it('frees the key of a request that the outage ended, as soon as the database is back', async () => {
  const create = () =>
    new Client(service.url, { 'x-api-key': service.adminKey, 'idempotency-key': 'cut-off' }).post(
      '/api/admin/v1/projects',
      { name: 'made once' },
    );
  const lock = new pg.Client({ connectionString: postgres.url });
  lock.on('error', () => undefined);
  await lock.connect();
  await lock.query('begin; lock table project in exclusive mode');
  const cutOff = create();
  await eventually(
    async () => (await lock.query('select from pg_locks where not granted')).rowCount,
    (waiting) => waiting === 1,
  );
  await stopDatabase();
  expect((await cutOff).outcome).toBe('503 DATABASE_UNAVAILABLE');
  await startDatabase();
  // The lease of the key is a minute, which is longer than this waits.
  await eventually(create, ({ outcome: now }) => now === '201');
  expect((await create()).headers.get('idempotency-replayed')).toBe('true');
});

it('answers with its metrics while the database hangs', async () => {
  const scrape = async () => (await stranger.get('/metrics')).text;
  expect(await scrape()).toContain('slipway_jobs{');
  // A new connection has to hang too.
  signalPostgres(dataDir, 'SIGSTOP', { andChildren: true });
  const begun = performance.now();
  const hanging = await scrape();
  const tookMs = performance.now() - begun;
  signalPostgres(dataDir, 'SIGCONT', { andChildren: true });
  // Prometheus waits ten seconds for a scrape, unless it is told otherwise.
  expect(tookMs).toBeLessThan(4_000);
  expect(hanging).toContain('slipway_info{');
  expect(hanging).not.toContain('slipway_jobs{');
  await eventually(scrape, (text) => text.includes('slipway_jobs{'));
});

it('answers a request that was waiting in the database when it stopped', async () => {
  await Promise.all([
    stopDatabase(),
    ...Array.from({ length: 20 }, async () => {
      const answer = await inBoundedTime(() => tenant.api.get('/api/public/me'));
      expect(answer.outcome).toMatch(/^(200|503 DATABASE_UNAVAILABLE)$/);
    }),
  ]);
  await startDatabase();
});
