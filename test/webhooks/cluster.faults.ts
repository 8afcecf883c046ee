import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Receiver, verify } from '../support/receiver.js';
import { type Accepted, bodyFor, type Channel, MESSAGE, openChannel } from './channel.js';
import { Cluster } from './cluster.js';
import { beginLoad, expectTurnsInOrder, pending } from './load.js';

/** The time after a fault in which the service has to be as good as before. */
const NORMAL_WITHIN_MS = 10_000;
const ANSWERED_WITHIN_MS = 120_000;
/** Receivers refuse a callback whose timestamp differs by more than five minutes from their time. */
const STAMPED_WITHIN_MS = 60_000;
const WRONG_CLOCK = fileURLToPath(new URL('../support/wrong-clock.mjs', import.meta.url));

const cluster = await Cluster.start({ STOP_DELAY_SECONDS: '4', WORKER_LOOK_SECONDS: '10' });
const receiver = await Receiver.start();
afterAll(async () => {
  await cluster.stop();
  await receiver.stop();
});

interface Fault {
  /** Causes the fault, and returns when it is gone. */
  cause: () => Promise<void>;
  /** Whether clients must not notice anything. */
  isUnnoticed?: true;
  /** The pause of a client after each message. */
  pauseMs?: number;
}

const { servers, network } = cluster;

const FAULTS: Record<string, Fault> = {
  'a process for requests is killed': { cause: () => cluster.killOne('api') },
  'a worker is killed': { cause: () => cluster.killOne('worker'), isUnnoticed: true },
  'all processes are replaced one after the other': { cause: () => cluster.replaceAll(), isUnnoticed: true },
  'the network to PostgreSQL is cut for 30 seconds without a packet': {
    cause: async () => {
      network.cut();
      await wait(30_000);
      network.heal();
    },
  },
  'PostgreSQL is frozen for 20 seconds': {
    cause: async () => {
      servers.freezePostgres();
      await wait(20_000);
      servers.thawPostgres();
    },
  },
  'PostgreSQL is killed three times in two minutes': {
    cause: async () => {
      for (const pauseMs of [30_000, 30_000, 0]) {
        await servers.killPostgres();
        await wait(pauseMs);
      }
    },
  },
  'Redis is frozen for 20 seconds': {
    cause: async () => {
      servers.freezeRedis();
      await wait(20_000);
      servers.thawRedis();
    },
    isUnnoticed: true,
  },
  'Redis is killed and loses its files': { cause: () => servers.killRedis(), isUnnoticed: true },
  'a worker is frozen for longer than its leases last': {
    cause: async () => {
      const [worker] = cluster.processes.worker;
      worker!.freeze();
      await wait(45_000);
      worker!.thaw();
    },
    isUnnoticed: true,
    // A session whose turn the frozen worker has goes on after 30 seconds, and at most 100 messages may wait for it.
    pauseMs: 400,
  },
  'a process for requests is frozen for 15 seconds': {
    cause: async () => {
      const [api] = cluster.processes.api;
      api!.freeze();
      await wait(15_000);
      api!.thaw();
    },
  },
  'the folder of the files is away for ten seconds': {
    cause: async () => {
      const folder = join(cluster.dataDir, 'files');
      await rename(folder, `${folder}-away`);
      await wait(10_000);
      await rename(`${folder}-away`, folder);
    },
    isUnnoticed: true,
  },
  'a worker has a clock that is ten minutes ahead': {
    cause: async () => {
      await cluster.killOne('worker', { NODE_OPTIONS: `--import=${WRONG_CLOCK}` });
      await wait(5_000);
    },
    isUnnoticed: true,
  },
};

it.each(Object.entries(FAULTS))('every acknowledged message is answered well although %s', async (name, fault) => {
  const path = encodeURIComponent(name);
  const channel = await openChannel(cluster, { callbackUrl: receiver.url(path), events: ['agent.response'] });
  await untilAnswered(channel);
  const load = beginLoad(channel, { target: () => cluster, mostMessages: 3_000, pauseMs: fault.pauseMs ?? 100 });
  try {
    await wait(3_000);
    await fault.cause();
    const gone = performance.now();
    await untilAnswered(channel);
    expect(performance.now() - gone).toBeLessThan(NORMAL_WITHIN_MS);
    await wait(2_000);
  } finally {
    await load.end();
  }
  const { subscriptionId, secret } = channel.subscription;
  await eventually(
    () => pending(cluster.database, subscriptionId),
    (count) => count === 0,
    ANSWERED_WITHIN_MS,
  );

  const callbacks = receiver.callbacks.filter((callback) => callback.path === `/${path}`);
  const answered = new Set(callbacks.map(({ messageId }) => messageId));
  expect(load.accepted.size).toBeGreaterThan(30);
  expect([...load.accepted.keys()].filter((id) => !answered.has(id))).toEqual([]);
  for (const callback of callbacks) {
    verify(callback, secret);
    const stampedAt = Number(callback.headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(stampedAt - callback.receivedAt)).toBeLessThan(STAMPED_WITHIN_MS);
  }
  for (const same of Map.groupBy(callbacks, ({ messageId }) => messageId).values()) {
    expect(new Set(same.map(({ raw }) => raw)).size).toBe(1);
  }
  // No turn is used up by the fault, and no message gets the fallback text.
  expect(new Set(callbacks.map(({ body }) => body.response))).toEqual(new Set(['[mock] You said: Hello there']));
  const unwell = await cluster.database.rows(
    `select id, status, error_code from webhook_message where subscription_id = $1 and status <> 'completed'`,
    [subscriptionId],
  );
  expect(unwell).toEqual([]);
  await expectTurnsInOrder(cluster.database, subscriptionId, load.accepted);
  if (fault.isUnnoticed) expect(Map.groupBy(load.failures, (failure) => failure)).toEqual(new Map());
});

/** Sends messages until one is acknowledged and answered within the time that is normal. */
async function untilAnswered(channel: Channel): Promise<void> {
  const client = Client.withKey(cluster, channel.tenant.key);
  const isAnswered = async () => {
    const answer = await client.post<Accepted>(MESSAGE, bodyFor(channel)).catch(() => undefined);
    if (answer?.status !== 202) return false;
    const { message_id: id } = answer.body;
    const hasArrived = () => receiver.callbacks.some(({ messageId }) => messageId === id);
    return eventually(hasArrived, Boolean, 2_000).catch(() => false);
  };
  await eventually(isAnswered, Boolean, 60_000);
}
