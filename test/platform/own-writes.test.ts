import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import type { Response } from 'express';
import { Redis } from 'ioredis';
import type { KeyActor } from '../../src/kernel/actor.js';
import { newId } from '../../src/kernel/ids.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { OwnWrites } from '../../src/platform/database/replica/own-writes.js';
import type { PrimaryPosition } from '../../src/platform/database/replica/primary-position.js';
import type { WalPosition } from '../../src/platform/database/replica/wal-position.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import { eventually } from '../support/eventually.js';
import { randomSecret } from '../support/settings.js';

const LAG_SECONDS = 1;
const EARLIER = '00000000/FFFFFFFF';
const LATER = '00000010/00000000';

const prefix = randomSecret();
const redis = new Redis(process.env.TEST_REDIS_URL!);
/** A connection that is closed. */
const away = redis.duplicate({ lazyConnect: true });
away.disconnect();
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});
afterAll(() => redis.disconnect());

const newActor = () => ({ kind: 'key', keyId: newId('apiKey') }) as KeyActor;
const streamsOf = ({ keyId }: KeyActor) => `${prefix}:{${keyId}}:writing`;

function ownWrites(now: () => Promise<WalPosition> | WalPosition, client = redis): OwnWrites {
  const primary = { now: async () => ({ position: await now(), cluster: '1' }) } as PrimaryPosition;
  const settings = {
    DATABASE_READ_URL: 'postgres://',
    READ_LAG_SECONDS: LAG_SECONDS,
    REDIS_PREFIX: prefix,
  } as Settings;
  return new OwnWrites(client, primary, settings, { warn: () => undefined } as unknown as Log);
}

it('keeps the later of two writes when the earlier one is noted last', async () => {
  const actor = newActor();
  const slow = Promise.withResolvers<WalPosition>();
  const positions = [slow.promise, LATER];
  const writes = ownWrites(() => positions.shift()!);
  const first = writes.note(actor);
  await writes.note(actor);
  slow.resolve(EARLIER);
  await first;
  expect(await writes.of(actor)).toBe(LATER);
});

it('replaces the position by that of a later write', async () => {
  const actor = newActor();
  const positions = [EARLIER, LATER];
  const writes = ownWrites(() => positions.shift()!);
  await writes.note(actor);
  expect(await writes.of(actor)).toBe(EARLIER);
  await writes.note(actor);
  expect(await writes.of(actor)).toBe(LATER);
});

describe('while a caller streams', () => {
  const open = async (writes: OwnWrites, actor: KeyActor) => {
    const response = new EventEmitter();
    await writes.noteUntilClosed(actor, response as Response);
    return () => response.emit('close');
  };
  /** Does what Redis does when a stream has outlived what was noted of it. */
  const expire = (actor: KeyActor) => redis.del(streamsOf(actor));

  it('knows no position of the caller until its last stream is closed', async () => {
    const actor = newActor();
    const writes = ownWrites(() => LATER);
    const closers = [await open(writes, actor), await open(writes, actor)];
    expect(await writes.of(actor)).toBeUndefined();
    closers[0]!();
    await eventually(
      () => redis.scard(streamsOf(actor)),
      (streams) => streams === 1,
    );
    expect(await writes.of(actor)).toBeUndefined();
    closers[1]!();
    expect(await eventually(() => writes.of(actor))).toBe(LATER);
  });

  it('counts a stream although an earlier one was closed after it had expired', async () => {
    const actor = newActor();
    const writes = ownWrites(() => LATER);
    const close = await open(writes, actor);
    await expire(actor);
    close();
    await eventually(() => writes.of(actor));
    const closeNext = await open(writes, actor);
    expect(await writes.of(actor)).toBeUndefined();
    closeNext();
    expect(await eventually(() => writes.of(actor))).toBe(LATER);
  });

  it('notes the stream again and again, so that a long one does not expire', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const actor = newActor();
    const writes = ownWrites(() => LATER);
    const close = await open(writes, actor);
    await expire(actor);
    expect(await writes.of(actor)).toBeNull();
    mock.timers.tick(30_000);
    await eventually(
      () => writes.of(actor),
      (position) => position === undefined,
    );
    close();
    expect(await eventually(() => writes.of(actor))).toBe(LATER);
    mock.timers.tick(30_000);
    expect(await writes.of(actor)).toBe(LATER);
  });
});

it('knows no position for READ_LAG_SECONDS after a write that Redis did not take', async () => {
  const actor = newActor();
  const writes = ownWrites(() => LATER, away);
  await writes.note(actor);
  // Redis is back.
  Object.assign(writes, { redis });
  expect(await writes.of(actor)).toBeUndefined();
  expect(await writes.of(newActor())).toBeNull();
  const later = performance.now() + LAG_SECONDS * 1_000;
  mock.method(performance, 'now', () => later);
  expect(await writes.of(actor)).toBeNull();
});
