import { administratorOf, makeKey, makeKeyWith, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startPair } from '../support/two-processes.js';
import { adminAppPath, ME, scopePath } from './paths.js';

// Each process keeps the keys that it has looked up. The processes must obey a change from its answer on.
const pair = await startPair();
const { a, b, database } = pair;
const admin = administratorOf(a);
const tenant = await makeTenant(a);
afterAll(() => pair.stop());

const MANAGING = ['API_SCOPE_KEY_FULL', 'RUN_API'] as const;
const freshKey = () => makeKey(a, tenant.appId, tenant.scopeName);
const adminKeyPath = (keyId: string) => `${adminAppPath(tenant.appId)}/apikeys/${keyId}`;
const outcomeOn = async (target: typeof a, key: string, path = ME) =>
  (await Client.withKey(target, key).get(path)).outcome;

it('a permission that a scope loses or gains counts in each process', async () => {
  const { key, scopeId } = await makeKeyWith(a, tenant, [...MANAGING]);
  const path = scopePath(tenant.appId, scopeId);
  const set = (permissions: object) => admin.patch(`${adminAppPath(tenant.appId)}/scopes/${scopeId}`, { permissions });
  for (let round = 0; round < 10; round += 1) {
    expect([await outcomeOn(b, key, path), await outcomeOn(a, key, path)]).toEqual(['200', '200']);
    expect((await set({ API_SCOPE_KEY_FULL: 'NO' })).outcome).toBe('200');
    expect([await outcomeOn(b, key, path), await outcomeOn(a, key, path)]).toEqual([
      '403 PERMISSION_DENIED',
      '403 PERMISSION_DENIED',
    ]);
    expect((await set({ API_SCOPE_KEY_FULL: 'YES' })).outcome).toBe('200');
  }
});

it('a key may lower its own scope in one process, and the other obeys', async () => {
  const { key, api, scopeId } = await makeKeyWith(a, tenant, [...MANAGING]);
  const path = scopePath(tenant.appId, scopeId);
  expect(await outcomeOn(b, key, path)).toBe('200');
  expect((await api.put(path, { permissions: { API_SCOPE_KEY_FULL: 'NO' } })).outcome).toBe('200');
  expect(await outcomeOn(b, key, path)).toBe('403 PERMISSION_DENIED');
});

it('the previous value of a rotated key ends in each process', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { key, keyId } = await freshKey();
    expect(await outcomeOn(b, key)).toBe('200');
    expect((await admin.post(`${adminKeyPath(keyId)}/rotate`)).outcome).toBe('200');
    expect(await outcomeOn(b, key)).toBe('401 API_KEY_EXPIRED');
  }
});

it('an earlier expiry and a new name count in each process', async () => {
  const { key, keyId } = await freshKey();
  expect(await outcomeOn(b, key)).toBe('200');
  expect((await admin.patch(adminKeyPath(keyId), { apiKeyName: 'renamed' })).outcome).toBe('200');
  expect((await Client.withKey(b, key).get(ME)).body).toMatchObject({ key_name: 'renamed' });
  const expiresAt = new Date(Date.now() + 400).toISOString();
  expect((await admin.patch(adminKeyPath(keyId), { expiresAt })).outcome).toBe('200');
  await eventually(
    () => outcomeOn(b, key),
    (outcome) => outcome === '401 API_KEY_EXPIRED',
  );
});

it('nothing changes while a process does not confirm that it drops the key', async () => {
  const { key, scopeId } = await makeKeyWith(a, tenant, [...MANAGING]);
  const path = scopePath(tenant.appId, scopeId);
  const lose = () => Client.withKey(a, key).put(path, { permissions: { API_SCOPE_KEY_FULL: 'NO' } });
  expect(await outcomeOn(b, key, path)).toBe('200');
  b.freeze();
  try {
    const begun = performance.now();
    expect((await lose()).outcome).toBe('503 KEY_CHANGE_PENDING');
    expect(performance.now() - begun).toBeLessThan(5_000);
  } finally {
    b.thaw();
  }
  expect(await outcomeOn(b, key, path)).toBe('200');
  expect((await lose()).outcome).toBe('200');
  expect(await outcomeOn(b, key, path)).toBe('403 PERMISSION_DENIED');
});

it('a process that was suspended while its connection was cut reads the key again', async () => {
  // This is repeated, because chance decides which of the waiting events a thawed process handles first.
  for (let round = 0; round < 6; round += 1) {
    await eventually(listening, ({ length }) => length === 2);
    const { key, scopeId } = await makeKeyWith(a, tenant, [...MANAGING]);
    const path = scopePath(tenant.appId, scopeId);
    expect(await outcomeOn(b, key, path)).toBe('200');
    b.freeze();
    try {
      await database.cut('slipway revocations');
      const answer = await Client.withKey(a, key).put(path, { permissions: { API_SCOPE_KEY_FULL: 'NO' } });
      expect(answer.outcome).toBe('200');
    } finally {
      b.thaw();
    }
    expect(await outcomeOn(b, key, path)).toBe('403 PERMISSION_DENIED');
  }
});

const listening = () =>
  database.rows<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name = 'slipway revocations' and datname = current_database()`,
  );
