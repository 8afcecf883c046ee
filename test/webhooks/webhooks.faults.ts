import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../faults/task-service.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { Receiver, verify } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { openChannel } from './channel.js';
import { beginLoad, expectTurnsInOrder, pending } from './load.js';
import { OwnServers } from './own-servers.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const FAULTS = 3;
/** A receiver that fails often accepts so many in the time of the test. */
const MOST_MESSAGES = 150;
const ANSWERED_WITHIN_MS = 120_000;
/** The ways in which the receiver fails. */
const MOODS = ['failing', 'hangup', 'cut-off', 'moved'];

const servers = await OwnServers.start();
const receiver = await Receiver.start();
const settings = {
  ...settingsFor(servers.databaseUrl),
  REDIS_URL: servers.redisUrl,
  WEBHOOK_SCHEDULE: `0${',1'.repeat(49)}`,
};
const database = new TestDatabase(servers.databaseUrl);
const running = new Set<ServiceProcess>();

async function start(role: 'api' | 'worker'): Promise<ServiceProcess> {
  const process = await startProcess({ ...settings, SLIPWAY_ROLE: role });
  running.add(process);
  return process;
}

async function kill(process: ServiceProcess): Promise<void> {
  running.delete(process);
  await process.kill();
}

afterEach(() => Promise.all([...running].map(kill)));
afterAll(async () => {
  await database.end();
  await servers.stop();
  await receiver.stop();
});

it.each(SEEDS)(
  'every acknowledged message is answered, whatever is killed and however the receiver behaves (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    receiver.mood = () => (random() < 0.6 ? 'well' : MOODS[Math.floor(random() * MOODS.length)]!);
    let api = await start('api');
    let worker = await start('worker');
    const faults = [
      async () => {
        await kill(worker);
        worker = await start('worker');
      },
      () => servers.killPostgres(),
      async () => {
        await kill(api);
        api = await start('api');
      },
      () => servers.killRedis(),
    ];
    const callbackUrl = receiver.url(`moody/${seed}`);
    const channel = await openChannel(api, { callbackUrl, events: ['agent.response', 'agent.status'] });
    const load = beginLoad(channel, { target: () => api, mostMessages: MOST_MESSAGES });
    try {
      // The seed decides the first fault. The others, and the times between them, are random.
      for (let n = 0; n < FAULTS; n += 1) {
        await wait(300 + random() * 1_500);
        await faults[(seed + Math.floor(random() * 2) + n) % faults.length]!();
      }
      await eventually(
        () => load.accepted.size,
        (count) => count >= 30,
        60_000,
      );
    } finally {
      await load.end();
    }
    // The leases of killed processes last half a minute. They end now, because no worker is alive, to save that time.
    await kill(worker);
    await database.rows(`update job set lease_until = now() where state = 'running'`);
    await start('worker');
    const { subscriptionId, secret } = channel.subscription;
    await eventually(
      () => pending(database, subscriptionId),
      (count) => count === 0,
      ANSWERED_WITHIN_MS,
    );

    const callbacks = receiver.callbacks.filter(({ path }) => path.endsWith(`/${seed}`));
    const answered = new Set(callbacks.map(({ messageId }) => messageId));
    expect([...load.accepted.keys()].filter((id) => !answered.has(id))).toEqual([]);
    for (const callback of callbacks) verify(callback, secret);
    for (const same of Map.groupBy(callbacks, ({ messageId }) => messageId).values()) {
      expect(new Set(same.map(({ raw }) => raw)).size).toBe(1);
    }
    await expectTurnsInOrder(database, subscriptionId, load.accepted);
  },
);
