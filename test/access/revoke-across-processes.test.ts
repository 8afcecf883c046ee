import pg from 'pg';
import { makeKey, makeTenant, revoke, type Key, type Tenant } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client, type Answer } from '../support/client.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { eventually } from '../support/eventually.js';
import { untilUsed, untilWaiting } from '../support/running.js';
import type { Target } from '../support/service.js';
import { startPair } from '../support/two-processes.js';
import { openRequest } from '../support/wire.js';
import { createPath, ME, scopePath } from './paths.js';

const pair = await startPair();
const { a, b, database } = pair;
const tenant = await makeTenant(a);
afterAll(() => pair.stop());

const outcomeOn = async (target: Target, key: string) => (await Client.withKey(target, key).get(ME)).outcome;
const freshKey = () => makeKey(a, tenant.appId, tenant.scopeName);
const revokeOn = (target: Target, { keyId }: { keyId: string }) => revoke(target, tenant.appId, keyId);

/** Begins a request that has passed the guards of a process. It is answered when the rest of its body is sent. */
async function runOn(target: Target, { keyId, key }: Key) {
  const running = openRequest(target.url, { verb: 'GET', path: ME, key, begin: '{' });
  await untilUsed(database, keyId);
  return running;
}

/** Begins a writing request that has passed the guards of a process. It writes when the rest of its body is sent. */
async function writeOn(target: Target, { keyId, key }: Key, { appId, scopeName }: Tenant = tenant) {
  const body = JSON.stringify({ scope_name: scopeName, api_key_name: `made by ${keyId}` });
  const running = openRequest(target.url, { verb: 'POST', path: createPath(appId), key, begin: body.slice(0, 9) });
  await untilUsed(database, keyId);
  return { answer: running.answer, finish: () => running.finish(body.slice(9)) };
}

const madeBy = ({ keyId }: Key) => database.rows('select from api_key where name = $1', [`made by ${keyId}`]);

it('the other process refuses a revoked key by the time that the revocation is answered', async () => {
  for (let round = 0; round < 10; round += 1) {
    const key = await freshKey();
    expect(await outcomeOn(b, key.key)).toBe('200');
    expect((await revokeOn(a, key)).outcome).toBe('200');
    expect(await outcomeOn(b, key.key)).toBe('401 API_KEY_INVALID');
    expect(await outcomeOn(a, key.key)).toBe('401 API_KEY_INVALID');
  }
});

it('the other process refuses the console session of a revoked administration key', async () => {
  const { adminKeyId, adminKey } = await makeAdminKey(a);
  const browser = browserOf(b.url, await signInToConsole(Client.withKey(a, adminKey)));
  const projects = '/api/admin/v1/projects';
  expect((await browser.get(projects)).outcome).toBe('200');
  expect((await revokeAdminKey(a, adminKeyId)).outcome).toBe('200');
  expect((await browser.get(projects)).outcome).toBe('401 API_KEY_MISSING');
});

it('confirms to the asking process alone, and to one of an earlier release on the channel that it listens to', async () => {
  const client = new pg.Client({ connectionString: a.databaseUrl });
  await client.connect();
  const received: string[] = [];
  client.on('notification', ({ channel, payload }) => received.push(`${channel}: ${payload?.split(' ')[0]}`));
  await client.query('listen slipway_key_requests_stopped; listen slipway_key_requests_stopped_7');
  const { keyId } = await freshKey();
  const ask = (question: string) =>
    client.query('select pg_notify($1, $2)', ['slipway_key_revoked', `${question} ${keyId}`]);
  await ask('7.named');
  await ask('unnamed');
  await eventually(
    () => received,
    ({ length }) => length >= 4,
  );
  await client.end();
  expect(received.sort()).toEqual([
    'slipway_key_requests_stopped: unnamed',
    'slipway_key_requests_stopped: unnamed',
    'slipway_key_requests_stopped_7: 7.named',
    'slipway_key_requests_stopped_7: 7.named',
  ]);
});

it('a revocation ends requests of the key in the other process', async () => {
  const key = await freshKey();
  const reading = await runOn(b, key);
  expect((await revokeOn(a, key)).outcome).toBe('200');
  expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
});

it('a revocation cancels a query of the other process', async () => {
  const key = await freshKey();
  const lock = await database.openTransaction('select from scope where id = $1 for update', [tenant.scopeId]);
  const running = Client.withKey(b, key.key).put(scopePath(tenant.appId, tenant.scopeId), { permissions: {} });
  await untilWaiting(database, 'scope');
  expect((await revokeOn(a, key)).outcome).toBe('200');
  expect((await running).outcome).toBe('401 API_KEY_REVOKED');
  await eventually(
    () => database.waiting(),
    (waiting) => waiting.length === 0,
  );
  await lock.commit();
});

it('the other process writes nothing with the key after the revocation', async () => {
  const key = await freshKey();
  const writing = await writeOn(b, key);
  expect((await revokeOn(a, key)).outcome).toBe('200');
  writing.finish();
  expect((await writing.answer).outcome).toBe('401 API_KEY_REVOKED');
  expect(await madeBy(key)).toHaveLength(0);
});

it('no process accepts the key after the answer, while both processes are busy with it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const own = await makeTenant(a);
    const key = await makeKey(a, own.appId, own.scopeName);
    let isRevoked = false;
    const late: Answer[] = [];
    const workers = [a, b, a, b].map(async (target) => {
      const api = Client.withKey(target, key.key);
      for (let count = 0; count < 100; count += 1) {
        const isLate = isRevoked;
        const answer = await api.put(scopePath(own.appId, own.scopeId), { permissions: { RUN_API: 'YES' } });
        if (isLate) return void late.push(answer);
        expect(answer.outcome).toMatch(/^(200|401 API_KEY_(REVOKED|INVALID))$/);
      }
    });
    await eventually(() => database.rows('select from api_key_use where key_id = $1', [key.keyId]), hasSome);
    expect((await revoke(b, own.appId, key.keyId)).outcome).toBe('200');
    isRevoked = true;
    await Promise.all(workers);
    expect(late).toHaveLength(4);
    for (const { outcome } of late) expect(outcome).toBe('401 API_KEY_INVALID');
  }
});

describe('when the connections that receive notifications of revocations are cut', () => {
  it('no request passes once the revocation is answered', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [read, written] = await Promise.all([freshKey(), freshKey()]);
      const [reading, writing] = await Promise.all([runOn(b, read), writeOn(b, written)]);
      // The connections are cut while the revocations run, and in every second round just before.
      const cut = database.cut('slipway revocations');
      if (round % 2) await cut;
      const gone = await Promise.all([revokeOn(a, read), revokeOn(a, written)]);
      for (const { outcome } of gone) expect(outcome).toBe('200');
      reading.finish('}');
      writing.finish();
      expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
      expect((await writing.answer).outcome).toBe('401 API_KEY_REVOKED');
      expect(await madeBy(written)).toHaveLength(0);
      expect(await outcomeOn(b, read.key)).toBe('401 API_KEY_INVALID');
      await cut;
    }
  });

  it('no request passes if the connections are cut again while they are being restored', async () => {
    await eventually(listeners, ({ count }) => count === 2);
    const key = await freshKey();
    const reading = await runOn(b, key);
    // A process rechecks the keys in use before it relies on its new connection. This lock delays that last step.
    const lock = await database.openTransaction('lock table admin_key in access exclusive mode');
    await database.cut('slipway revocations');
    await untilWaiting(database, 'admin_key');
    await database.cut('slipway revocations');
    await lock.commit();
    expect((await revokeOn(a, key)).outcome).toBe('200');
    reading.finish('}');
    expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
  });

  it('a process restores its connection by itself', async () => {
    const { processes } = await listeners();
    await database.cut('slipway revocations');
    await eventually(listeners, (now) => now.count === 2 && !now.processes.some((one) => processes.includes(one)));
    const key = await freshKey();
    const reading = await runOn(b, key);
    await revokeOn(a, key);
    expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
  });
});

describe('when the other process does not respond', () => {
  it('a revocation answers 503 within five seconds, and 200 once the process responds again', async () => {
    const key = await freshKey();
    const reading = await runOn(b, key);
    b.freeze();
    try {
      const begun = performance.now();
      const pending = await revokeOn(a, key);
      expect(performance.now() - begun).toBeLessThan(5_000);
      expect(pending.outcome).toBe('503 REVOCATION_PENDING');
      expect(await outcomeOn(a, key.key)).toBe('401 API_KEY_INVALID');
    } finally {
      b.thaw();
    }
    // The service may complete the revocation by itself before the repeat.
    const repeated = await eventually(
      () => revokeOn(a, key),
      ({ status }) => status !== 503,
    );
    expect(['200', '404 API_KEY_NOT_FOUND']).toContain(repeated.outcome);
    expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
    expect((await revokeOn(a, key)).outcome).toBe('404 API_KEY_NOT_FOUND');
  });

  it('no request passes when the process responds again, even if its connection was cut meanwhile', async () => {
    // This is repeated, because chance decides which of the waiting events a thawed process handles first.
    for (let round = 0; round < 6; round += 1) {
      await eventually(listeners, ({ count }) => count === 2);
      const key = await freshKey();
      const reading = await runOn(b, key);
      b.freeze();
      try {
        reading.finish('}');
        await database.cut('slipway revocations');
        expect((await revokeOn(a, key)).outcome).toBe('200');
      } finally {
        b.thaw();
      }
      expect((await reading.answer).outcome).toBe('401 API_KEY_REVOKED');
    }
  });
});

it('a revocation does not wait for a dead process', async () => {
  const third = await pair.another();
  await eventually(listeners, ({ count }) => count === 3);
  const key = await freshKey();
  const reading = await runOn(third, key);
  await third.kill();
  expect((await revokeOn(a, key)).outcome).toBe('200');
  await expect(reading.answer).rejects.toThrow();
});

it('a revocation is finished if its process died', async () => {
  const key = await freshKey();
  // These rows are what a process leaves that died a minute ago, after the first step of the revocation.
  await database.rows(`update api_key set revoked_at = now() - interval '1 minute' where id = $1`, [key.keyId]);
  await database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     values ('j-left', 'access.finish-revocation', $1, $2, 'queued', now(), now())`,
    [key.keyId, JSON.stringify({ keyId: key.keyId })],
  );
  expect(await outcomeOn(a, key.key)).toBe('401 API_KEY_INVALID');
  const third = await pair.another();
  await eventually(
    () => database.rows('select from api_key where id = $1', [key.keyId]),
    (rows) => rows.length === 0,
  );
  await third.kill();
});

async function listeners() {
  const rows = await database.rows<{ pid: number }>(
    `select distinct pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())`,
  );
  const processes = rows.map(({ pid }) => pid);
  return { count: processes.length, processes };
}

function hasSome(rows: object[]): boolean {
  return rows.length > 0;
}
