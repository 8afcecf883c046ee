import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../faults/wish-service.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { Receiver, verify } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { type Accepted, bodyFor, type Channel, MESSAGE, openChannel } from './channel.js';
import { OwnServers } from './own-servers.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const SESSIONS = 6;
const FAULTS = 3;
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
    const load = beginLoad(channel, () => api);
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
      () => pending(subscriptionId),
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
    await expectTurnsInOrder(subscriptionId, load.accepted);
  },
);

interface Load {
  /** The session's number of each message, in the order in which they were acknowledged. */
  accepted: Map<string, number>;
  end(): Promise<void>;
}

/**
 * Sends messages in several sessions. A session sends its next message when the last one was answered, or failed. The
 * number is limited to what a receiver that fails often can accept in the time of the test.
 */
function beginLoad(channel: Channel, api: () => ServiceProcess): Load {
  const accepted = new Map<string, number>();
  let isOver = false;
  const ended = Array.from({ length: SESSIONS }, async (_, session) => {
    while (!isOver) {
      if (accepted.size >= MOST_MESSAGES) {
        await wait(50);
        continue;
      }
      const body = bodyFor(channel, { session_key: `session ${session}`, metadata: { session } });
      const answer = await Client.withKey(api(), channel.tenant.key)
        .post<Accepted>(MESSAGE, body)
        .catch(() => undefined);
      if (answer?.status === 202) accepted.set(answer.body.message_id, session);
      else await wait(50);
    }
  });
  return {
    accepted,
    end: async () => {
      isOver = true;
      await Promise.all(ended);
    },
  };
}

/** Counts the messages and deliveries that have not ended. */
async function pending(subscriptionId: string): Promise<number> {
  const [{ count } = { count: -1 }] = await database.rows<{ count: number }>(
    `select ((select count(*) from webhook_message where subscription_id = $1 and finished_at is null)
      + (select count(*) from webhook_delivery where subscription_id = $1 and status = 'PENDING'))::int as count`,
    [subscriptionId],
  );
  return count;
}

async function expectTurnsInOrder(subscriptionId: string, accepted: Map<string, number>): Promise<void> {
  const turns = await database.rows<{ id: string; key: string; at: Date }>(
    `select m.id, m.session_key as key, m.finished_at as at from webhook_message m
     join run on run.id = m.run_id where m.subscription_id = $1 order by m.session_key, run.number`,
    [subscriptionId],
  );
  for (const ofSession of Map.groupBy(turns, ({ key }) => key).values()) {
    const times = ofSession.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  const inOrder = turns.map(({ id }) => id).filter((id) => accepted.has(id));
  for (let session = 0; session < SESSIONS; session += 1) {
    const sent = [...accepted].flatMap(([id, of]) => (of === session ? [id] : []));
    expect(inOrder.filter((id) => accepted.get(id) === session)).toEqual(sent);
  }
}
