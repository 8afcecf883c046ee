import pg from 'pg';
import { KeyListener } from '../../src/platform/auth/key-listener.js';
import { administratorOf, makeKey, makeKeyWith, makeTenant, revoke, type Tenant } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { untilRunning, untilWaiting } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { adminAppPath, createPath, keyPath, ME, scopePath } from './paths.js';

const service = await startService();
const { database } = service;
afterAll(() => service.stop());

const lockScope = (scopeId: string) =>
  database.openTransaction('select from scope where id = $1 for update', [scopeId]);

/** Begins a request with the key that waits for the rest of its body. */
function createSlowly({ appId, scopeName }: Tenant, key: string) {
  const body = JSON.stringify({ scope_name: scopeName, api_key_name: 'made too late' });
  const running = openRequest(service.url, { verb: 'POST', path: createPath(appId), key, begin: body.slice(0, 20) });
  return { answer: running.answer, finish: () => running.finish(body.slice(20)) };
}

describe('revoking a key ends a request of it', () => {
  it('that is still sending its body', async () => {
    const tenant = await makeTenant(service);
    const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
    const running = createSlowly(tenant, key);
    await untilRunning(service, keyId);
    expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
    expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
  });

  it('that waits in the database, and cancels its query there', async () => {
    const tenant = await makeTenant(service);
    const { keyId, api } = await makeKey(service, tenant.appId, tenant.scopeName);
    const lock = await lockScope(tenant.scopeId);
    const running = api.put(scopePath(tenant.appId, tenant.scopeId), { permissions: { RUN_API: 'NO' } });
    await untilWaiting(database, 'scope');

    expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
    expect((await running).outcome).toBe('401 API_KEY_REVOKED');
    expect(
      await eventually(
        () => database.waiting(),
        (waiting) => waiting.length === 0,
      ),
    ).toEqual([]);
    await lock.commit();
    const scope = await tenant.api.get(scopePath(tenant.appId, tenant.scopeId));
    expect(scope.body).toMatchObject({ scope: { permissions: { RUN_API: 'YES' } } });
  });

  it('of whichever key, time after time', async () => {
    const tenant = await makeTenant(service);
    const requests = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
        const running = openRequest(service.url, { verb: 'GET', path: ME, key, begin: '{' });
        await untilRunning(service, keyId);
        return { keyId, running };
      }),
    );
    for (const { keyId, running } of requests) {
      await revoke(service, tenant.appId, keyId);
      expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
    }
  });

  it('with every value of it, and all of its requests', async () => {
    const tenant = await makeTenant(service);
    const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
    const rotated = await tenant.api.post<{ api_key: { apikey: string } }>(`${keyPath(tenant.appId, keyId)}/rotate`, {
      grace_seconds: 60,
    });
    const values = [key, key, rotated.body.api_key.apikey];
    const running = values.map((value) => openRequest(service.url, { verb: 'GET', path: ME, key: value, begin: '{' }));
    await untilRunning(service, keyId);
    await revoke(service, tenant.appId, keyId);
    for (const { answer } of running) expect((await answer).outcome).toMatch(/^401 API_KEY_(REVOKED|INVALID)$/);
  });

  it('when its scope is deleted', async () => {
    const tenant = await makeTenant(service);
    const { scopeId, keyId, key } = await makeKeyWith(service, tenant, ['RUN_API']);
    const running = openRequest(service.url, { verb: 'GET', path: ME, key, begin: '{' });
    await untilRunning(service, keyId);
    const gone = await administratorOf(service).delete(`${adminAppPath(tenant.appId)}/scopes/${scopeId}`);
    expect(gone.outcome).toBe('200');
    expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
  });

  it('when it is a named administration key', async () => {
    const { adminKeyId, adminKey: key } = await makeAdminKey(service);
    const running = openRequest(service.url, { verb: 'POST', path: '/api/admin/v1/projects', key, begin: '{' });
    await untilRunning(service, adminKeyId);
    expect((await revokeAdminKey(service, adminKeyId)).outcome).toBe('200');
    expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
    expect((await Client.withKey(service, key).get('/api/admin/v1/projects')).outcome).toBe('401 API_KEY_INVALID');
  });

  it('and leaves requests of other keys alone', async () => {
    const tenant = await makeTenant(service);
    const [revoked, kept] = await Promise.all([1, 2].map(() => makeKey(service, tenant.appId, tenant.scopeName)));
    const running = createSlowly(tenant, kept!.key);
    await untilRunning(service, kept!.keyId);
    await revoke(service, tenant.appId, revoked!.keyId);
    running.finish();
    expect((await running.answer).outcome).toBe('201');
  });
});

it('a request that revokes its own key is answered, and the key’s other requests end', async () => {
  const tenant = await makeTenant(service);
  const running = createSlowly(tenant, tenant.key);
  await untilRunning(service, tenant.keyId);
  expect((await tenant.api.delete(keyPath(tenant.appId, tenant.keyId))).outcome).toBe('200');
  expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
});

it('a request that was ended by a revocation writes nothing', async () => {
  const tenant = await makeTenant(service);
  const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
  const running = createSlowly(tenant, key);
  await untilRunning(service, keyId);
  await revoke(service, tenant.appId, keyId);
  running.finish();
  await running.answer;
  const late = () =>
    database.rows(`select from api_key where scope_id = $1 and name = 'made too late'`, [tenant.scopeId]);
  expect(await late()).toHaveLength(0);
});

describe('a writer that is about to commit', () => {
  const lockKey = (keyId: string) =>
    database.openTransaction('select from api_key where id = $1 for key share', [keyId]);

  it('delays the revocation', async () => {
    const tenant = await makeTenant(service);
    const { keyId, api } = await makeKey(service, tenant.appId, tenant.scopeName);
    const writer = await lockKey(keyId);
    const revocation = revoke(service, tenant.appId, keyId);
    await untilWaiting(database, 'delete from api_key');
    // The key's row still exists, but the key is refused.
    expect((await api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
    await writer.commit();
    expect((await revocation).outcome).toBe('200');
  });

  it('makes the revocation answer 503 within five seconds, and 200 once it has committed', async () => {
    const tenant = await makeTenant(service);
    const { keyId, api } = await makeKey(service, tenant.appId, tenant.scopeName);
    const writer = await lockKey(keyId);
    const begun = performance.now();
    const answer = await tenant.api.delete(keyPath(tenant.appId, keyId));
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(answer.outcome).toBe('503 REVOCATION_PENDING');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
    await writer.commit();
    expect((await tenant.api.delete(keyPath(tenant.appId, keyId))).outcome).toBe('200');
    expect((await tenant.api.delete(keyPath(tenant.appId, keyId))).outcome).toBe('404 API_KEY_NOT_FOUND');
  });
});

it('relies on no connection for notifications that breaks right after it was checked', async () => {
  const listener = service.app.get(KeyListener);
  const original = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')!;
  const query = original.value as (...given: unknown[]) => unknown;
  let wasListening: boolean | undefined;
  Object.defineProperty(pg.Client.prototype, 'query', {
    ...original,
    value(this: pg.Client, ...given: unknown[]): unknown {
      const answer = query.apply(this, given);
      if (given[0] !== 'select clock_timestamp() as time' || listener.isListening) return answer;
      return (answer as Promise<unknown>).then((checked) => {
        this.emit('error', new Error('The connection was cut'));
        setImmediate(() => (wasListening ??= listener.isListening));
        return checked;
      });
    },
  });
  try {
    await database.cut('slipway revocations');
    expect(
      await eventually(
        () => wasListening,
        (was) => was !== undefined,
      ),
    ).toBe(false);
  } finally {
    Object.defineProperty(pg.Client.prototype, 'query', original);
  }
  await eventually(() => listener.isListening);
});
