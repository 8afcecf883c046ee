import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../scripts/services/redis.mjs';
import { Notifications } from '../../src/platform/redis/notifications.js';
import { administratorOf, makeKey, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { follower } from '../support/looks.js';
import { signInToConsole } from '../support/console.js';
import { signalRedis } from '../support/server-signal.js';
import { startService } from '../support/service.js';

const LIMIT = 30;
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
const log = () => undefined;
let redis = await startRedis({ dataDir, log });
const service = await startService({ REDIS_URL: redis.url, RATE_LIMIT_DEFAULT: String(LIMIT) });
const tenant = await makeTenant(service);
const { cookie } = await signInToConsole(administratorOf(service));
const signedIn = new Client(service.url, { cookie });

afterAll(async () => {
  await service.stop();
  await redis.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const readiness = () => new Client(service.url).get<{ status: string; checks: object }>('/health/ready');
const untilReady = (status: string) => eventually(readiness, ({ body }) => body.status === status);
const freshKey = () => makeKey(service, tenant.appId, tenant.scopeName);

async function outcomesOf(requests: number): Promise<string[]> {
  const { api } = await freshKey();
  const outcomes: string[] = [];
  for (let count = 0; count < requests; count += 1) outcomes.push((await api.get('/api/public/me')).outcome);
  return outcomes;
}

function restart() {
  const { port, password } = redis;
  return startRedis({ dataDir, log, port, password });
}

it('reports that all is well while Redis answers', async () => {
  await untilReady('ok');
  expect((await readiness()).body.checks).toMatchObject({ redis: { status: 'up' }, database: { status: 'up' } });
});

it('continues without Redis, says so, counts by itself, and notices when Redis is back', async () => {
  signalRedis(dataDir, 'SIGKILL');
  await redis.exited;
  expect(await outcomesOf(3)).toEqual(['200', '200', '200']);

  const degraded = await untilReady('degraded');
  expect(degraded.outcome).toBe('200');
  expect(degraded.body.checks).toMatchObject({ redis: { status: 'degraded' }, database: { status: 'up' } });
  expect((await new Client(service.url).get('/health/live')).outcome).toBe('200');
  expect((await signedIn.get('/queues/')).outcome).toBe('503 QUEUES_UNAVAILABLE');

  const outcomes = await outcomesOf(LIMIT + 1);
  expect(outcomes.slice(0, LIMIT)).toEqual(Array.from({ length: LIMIT }, () => '200'));
  expect(outcomes.at(-1)).toBe('429 RATE_LIMIT_EXCEEDED');

  redis = await restart();
  await untilReady('ok');
  expect(await outcomesOf(3)).toEqual(['200', '200', '200']);
});

it('polls the database rarely while notifications arrive', async () => {
  Object.assign(service.app.get(Notifications), { lookEveryMs: 500, lookRarelyMs: 3_750 });
  const rare = follower(service, 'a run', { isFrequent: false });
  const frequent = follower(service, 'a host', { isFrequent: true });
  const untilLooks = (who: typeof rare, more: number) => {
    const wanted = who.looks + more;
    return eventually(
      () => who.looks,
      (looks) => looks >= wanted,
    );
  };
  const looksWithSixFrequentOnes = async () => {
    const before = rare.looks;
    await untilLooks(frequent, 6);
    return rare.looks - before;
  };
  await untilLooks(frequent, 1);
  expect(await looksWithSixFrequentOnes()).toBeLessThanOrEqual(3);

  signalRedis(dataDir, 'SIGKILL');
  await redis.exited;
  await untilLooks(rare, 1);
  expect(await looksWithSixFrequentOnes()).toBeGreaterThanOrEqual(5);
  redis = await restart();
  await untilReady('ok');
  await untilLooks(frequent, 1);
  expect(await looksWithSixFrequentOnes()).toBeLessThanOrEqual(3);
  rare.leave();
  frequent.leave();
});

it('continues while Redis is frozen', async () => {
  signalRedis(dataDir, 'SIGSTOP');
  try {
    const begun = performance.now();
    expect(await outcomesOf(3)).toEqual(['200', '200', '200']);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect((await untilReady('degraded')).outcome).toBe('200');
  } finally {
    signalRedis(dataDir, 'SIGCONT');
  }
  await untilReady('ok');
});
