import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../scripts/services/redis.mjs';
import { makeKey, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { signalRedis } from '../support/server-signal.js';
import { startService } from '../support/service.js';

const SENTENCE = 'REDIS_URL leads to a replica, which refuses writes: name the master, or its sentinels';
const LIMIT = 5;

const folders = ['one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `slipway-redis-${name}-`)));
const log = () => undefined;
const [one, first] = await Promise.all(folders.map((dataDir) => startRedis({ dataDir, log })));
let other = first;
const inOne = new Redis(one!.url);
const inOther = new Redis(other!.url);
for (const redis of [inOne, inOther]) redis.on('error', () => undefined);
const becomeReplica = async () => {
  await inOne.config('SET', 'masterauth', other!.password);
  await inOne.replicaof('127.0.0.1', other!.port);
};
const becomeMaster = () => inOne.replicaof('NO', 'ONE');

await becomeReplica();
const service = await startService({ REDIS_URL: one!.url, RATE_LIMIT_DEFAULT: String(LIMIT) });
const tenant = await makeTenant(service);

afterAll(async () => {
  await service.stop();
  for (const redis of [inOne, inOther]) redis.disconnect();
  await Promise.all([one!.stop(), other!.stop()]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Ready {
  status: string;
  checks: { redis: { status: string; message?: string } };
}

const readiness = () => new Client(service.url).get<Ready>('/health/ready');
const untilReady = (status: string) => eventually(readiness, ({ body }) => body.status === status);
const redisUp = () => readMetric(service, 'slipway_redis_up');

async function outcomesOf(requests: number): Promise<string[]> {
  const { api } = await makeKey(service, tenant.appId, tenant.scopeName);
  const outcomes: string[] = [];
  for (let count = 0; count < requests; count += 1) outcomes.push((await api.get('/api/public/me')).outcome);
  return outcomes;
}

async function expectDegraded(): Promise<void> {
  const { outcome, body } = await untilReady('degraded');
  expect(outcome).toBe('200');
  expect(body.checks.redis).toEqual({ status: 'degraded', message: expect.stringContaining(SENTENCE) as string });
  expect(await redisUp()).toBe(0);
  const outcomes = await outcomesOf(LIMIT + 1);
  expect(outcomes).toEqual([...Array.from({ length: LIMIT }, () => '200'), '429 RATE_LIMIT_EXCEEDED']);
}

it('goes on as without Redis while REDIS_URL leads to a replica, and says what to name', expectDegraded);

it('uses the replica as soon as it is the master', async () => {
  await becomeMaster();
  await untilReady('ok');
  expect(await redisUp()).toBe(1);
  const { api } = await makeKey(service, tenant.appId, tenant.scopeName);
  const keysAfterRequest = async () => {
    await api.get('/api/public/me');
    return inOne.keys('*:rate:DEFAULT:*');
  };
  await eventually(keysAfterRequest, (keys) => keys.length > 0);
});

it('goes on as without Redis when the master becomes a replica, until it is a master again', async () => {
  await becomeReplica();
  await expectDegraded();
  await becomeMaster();
  await untilReady('ok');
  expect(await redisUp()).toBe(1);
});

it('says why else Redis refuses writes', async () => {
  await inOne.config('SET', 'min-replicas-to-write', '1');
  const message = 'refuses commands (NOREPLICAS)';
  expect((await untilReady('degraded')).body.checks.redis).toEqual({ status: 'degraded', message });
  expect(await redisUp()).toBe(0);
  await inOne.config('SET', 'min-replicas-to-write', '0');
  await untilReady('ok');
});

it('logs the sentence also if the server was away before', async () => {
  const [, dataDir] = folders;
  const { port, password } = other!;
  signalRedis(dataDir!, 'SIGKILL');
  await other!.exited;
  const further = await startProcess({ ...service.settings, REDIS_URL: other!.url, LOG_LEVEL: 'info' });
  service.companions.push(further);
  const unavailable = async () => {
    await new Client(further.url).get('/health/ready');
    const lines = further.output().split('\n');
    return lines.filter((line) => line.includes('Redis is unavailable'));
  };
  await eventually(unavailable, ({ length }) => length === 1);
  other = await startRedis({ dataDir: dataDir!, log, port, password });
  await inOther.replicaof('127.0.0.1', one!.port);
  const [, line] = await eventually(unavailable, ({ length }) => length === 2);
  expect(line).toContain(SENTENCE);
  await inOther.replicaof('NO', 'ONE');
  await eventually(
    () => further.output(),
    (output) => /refuses writes.*Redis is available again/s.test(output),
  );
});
