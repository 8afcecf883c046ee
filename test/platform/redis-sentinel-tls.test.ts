import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { RedisWithSentinels } from '../support/redis-sentinels.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { openChannel } from '../webhooks/channel.js';
import { beginLoad, expectTurnsInOrder, pending } from '../webhooks/load.js';

const redis = await RedisWithSentinels.start({ tls: true });
const receiver = await Receiver.start();
const settings: SettingsOfTest = {
  ...settingsFor(await createDatabase()),
  REDIS_URL: redis.url,
  NODE_EXTRA_CA_CERTS: redis.authority!,
};
const processes = await Promise.all(
  (['api', 'worker'] as const).map((role) => startProcess({ ...settings, SLIPWAY_ROLE: role })),
);
const [api] = processes;
const database = new TestDatabase(settings.DATABASE_URL!);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await Promise.all([database.end(), receiver.stop(), redis.stop()]);
});

it('loses no message under load while the sentinels replace a master, with TLS everywhere', async () => {
  await untilUp();
  const channel = await openChannel(api!, { callbackUrl: receiver.url('load'), events: ['agent.response'] });
  const load = beginLoad(channel, { target: () => api!, mostMessages: 1_000, pauseMs: 50 });
  try {
    await untilAccepted(30);
    await redis.failOver();
    await untilUp();
    await untilAccepted(load.accepted.size + 30);
  } finally {
    await load.end();
  }
  const { subscriptionId } = channel.subscription;
  await eventually(
    () => pending(database, subscriptionId),
    (count) => count === 0,
    30_000,
  );
  expect(load.failures).toEqual([]);
  const answered = new Set(receiver.at('load').map(({ messageId }) => messageId));
  expect([...load.accepted.keys()].filter((id) => !answered.has(id))).toEqual([]);
  await expectTurnsInOrder(database, subscriptionId, load.accepted);

  function untilAccepted(count: number) {
    return eventually(
      () => load.accepted.size,
      (size) => size >= count,
    );
  }
});

/** Waits until each process can write to the master. */
async function untilUp(): Promise<void> {
  for (const { url } of processes) {
    await eventually(
      () => new Client(url).get<{ checks: { redis: { status: string } } }>('/health/ready'),
      ({ body }) => body.checks.redis.status === 'up',
    );
  }
}
