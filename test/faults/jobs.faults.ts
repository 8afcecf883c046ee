import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startRedis } from '../../scripts/services/redis.mjs';
import { eventually } from '../support/eventually.js';
import { signalRedis } from '../support/server-signal.js';
import type { ServiceProcess } from '../support/process.js';
import { expectEveryTaskOnce, randomFrom, TaskService } from './task-service.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const LANES = 12;
/** The lease of a killed worker has to run out, and then the queued jobs of its lane have to be done. */
const DRAINED_WITHIN_MS = 90_000;
const log = () => undefined;

let service: TaskService;
beforeEach(async () => (service = await TaskService.create()));
afterEach(() => service.stop());

it.each(SEEDS)(
  'runs what it accepted once and in order, whichever process is killed and when (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    let api = await service.start('api');
    const workers = await Promise.all([service.start('worker'), service.start('worker')]);
    const load = service.load(() => api, LANES);
    for (let kill = 0; kill < 3; kill += 1) {
      await wait(200 + random() * 1_500);
      const victim = Math.floor(random() * 3);
      if (victim === 2) {
        await service.kill(api);
        api = await service.start('api');
      } else {
        await service.kill(workers[victim]!);
        workers[victim] = await service.start('worker');
      }
    }
    await service.hasAccepted(100);
    await load.end();
    // Leases of killed workers last half a minute. Once all workers are gone, the test ends them at once, because it
    // does so twenty times.
    for (const worker of workers) await service.kill(worker);
    await service.leasesRunOut();
    await service.start('worker');
    await service.drained(DRAINED_WITHIN_MS);
    await expectEveryTaskOnce(service);
  },
);

it('reclaims a job of a dead worker when its lease has run out, and then runs the queued jobs', async () => {
  const [api, doomed] = await Promise.all([service.start('api'), service.start('worker')]);
  for (let n = 0; n < 5; n += 1) await service.task(api, 'left', n, 1_000);
  const running = () => service.database.rows(`select from job where state = 'running'`);
  await eventually(running, (rows) => rows.length === 1);
  await Promise.all([service.kill(doomed), service.start('worker')]);
  await service.drained(DRAINED_WITHIN_MS);
  expect(await service.done()).toHaveLength(5);
  await expectEveryTaskOnce(service);
});

describe('a Redis of its own', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-redis-'));
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let own: TaskService;
  let api: ServiceProcess;

  beforeEach(async () => {
    redis = await startRedis({ dataDir, log });
    own = await TaskService.create({ REDIS_URL: redis.url });
    [api] = await Promise.all([own.start('api'), own.start('worker'), own.start('worker')]);
  });
  afterEach(async () => {
    await own.stop();
    await redis.stop();
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('may be killed and lose its files: all accepted jobs run once and in order', async () => {
    const load = own.load(() => api, LANES);
    await wait(1_000);
    signalRedis(dataDir, 'SIGKILL');
    await redis.exited;
    for (const name of ['appendonlydir', 'appendonly.aof', 'dump.rdb']) {
      rmSync(join(dataDir, 'redis', name), { recursive: true, force: true });
    }
    const before = own.accepted.length;
    await wait(2_000);
    expect(own.accepted.length).toBeGreaterThan(before);
    redis = await startRedis({ dataDir, log, port: redis.port, password: redis.password });
    await wait(2_000);
    await load.end();
    await own.drained(DRAINED_WITHIN_MS);
    await expectEveryTaskOnce(own);
  });

  it('may freeze: jobs that are accepted meanwhile wait and run later', async () => {
    await own.task(api, 'before', 0);
    await own.drained(10_000);
    signalRedis(dataDir, 'SIGSTOP');
    const load = own.load(() => api, LANES);
    await wait(5_000);
    await load.end();
    expect(own.accepted.length).toBeGreaterThan(LANES);
    signalRedis(dataDir, 'SIGCONT');
    await own.drained(DRAINED_WITHIN_MS);
    await expectEveryTaskOnce(own);
  });
});

it('never runs two jobs of a lane at once when two workers serve one lane', async () => {
  const api = await service.start('api');
  await Promise.all([service.start('worker'), service.start('worker')]);
  for (let n = 0; n < 200; n += 1) await service.task(api, 'one', n, 5);
  await service.drained(DRAINED_WITHIN_MS);
  expect(await service.done()).toHaveLength(200);
  await expectEveryTaskOnce(service);
});

it('lets a stopping worker finish its jobs and claim no others', async () => {
  const api = await service.start('api');
  const worker = await service.start('worker');
  await service.task(api, 'slow', 0, 2_000);
  await service.task(api, 'slow', 1, 1);
  const attempts = () =>
    service.database.rows<{ attempt: number }>('select attempt from job where every is null order by seq');
  await eventually(attempts, ([job]) => job?.attempt === 1);
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  expect(await service.done()).toEqual([{ lane: 'slow', n: 0 }]);
  expect(await attempts()).toEqual([{ attempt: 1 }, { attempt: 0 }]);
  await service.start('worker');
  await service.drained(10_000);
  await expectEveryTaskOnce(service);
});
