import { administratorOf, makeApp, makeKey, makeKeyWith, makeScope, makeTenant, revoke } from '../support/actors.js';
import { startService } from '../support/service.js';
import { adminAppPath, createPath, keyPath, ME } from './paths.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const rowsOf = async (keyId: string) => {
  const tables = ['api_key where id', 'api_key_value where key_id', 'api_key_use where key_id'];
  const counts = tables.map((table) => service.database.rows(`select from ${table} = $1`, [keyId]));
  return (await Promise.all(counts)).flat().length;
};

it('a revocation answers with the key’s id and its status', async () => {
  const tenant = await makeTenant(service);
  const { keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  const answer = await tenant.api.delete(keyPath(tenant.appId, keyId));
  expect(answer.outcome).toBe('200');
  expect(answer.body).toStrictEqual({
    success: true,
    revoked: { key_id: keyId, status: 'revoked' },
    meta: { requestId: answer.headers.get('x-request-id'), timestamp: expect.any(String) as string },
  });
});

it('a revoked key is refused at once and for good', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName);
  expect((await other.api.get(ME)).outcome).toBe('200');
  await tenant.api.delete(keyPath(tenant.appId, other.keyId));
  expect((await other.api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
  expect((await tenant.api.get(ME)).outcome).toBe('200');
});

it('a revocation deletes every row of the key', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName);
  await other.api.get(ME);
  await tenant.api.post(`${keyPath(tenant.appId, other.keyId)}/rotate`, { grace_seconds: 3600 });
  await tenant.api.delete(keyPath(tenant.appId, other.keyId));
  expect(await rowsOf(other.keyId)).toBe(0);
  // The job that finishes the revocation stays until it is due, and the audit entries stay. Both contain only the id.
  await service.database.rows('delete from job');
  await service.database.rows('delete from audit_entry');
  expect(await service.database.dump()).not.toContain(other.keyId);
});

it('a revocation ends all values of a key that was rotated with a grace period', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName);
  await tenant.api.post(`${keyPath(tenant.appId, other.keyId)}/rotate`, { grace_seconds: 3600 });
  expect((await other.api.get(ME)).outcome).toBe('200');
  await tenant.api.delete(keyPath(tenant.appId, other.keyId));
  expect((await other.api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
});

it('a second revocation is 404', async () => {
  const tenant = await makeTenant(service);
  const { keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  const path = keyPath(tenant.appId, keyId);
  expect((await tenant.api.delete(path)).outcome).toBe('200');
  expect((await tenant.api.delete(path)).outcome).toBe('404 API_KEY_NOT_FOUND');
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('404 API_KEY_NOT_FOUND');
});

it('a key can revoke itself', async () => {
  const { api, appId, keyId } = await makeTenant(service);
  expect((await api.delete(keyPath(appId, keyId))).outcome).toBe('200');
  expect((await api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
  expect(await rowsOf(keyId)).toBe(0);
});

it('the key itself is not accepted in place of its id', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName);
  expect((await tenant.api.delete(keyPath(tenant.appId, other.key))).outcome).toBe('404 API_KEY_NOT_FOUND');
  expect((await other.api.get(ME)).outcome).toBe('200');
});

it('keys of another app or project cannot be revoked', async () => {
  const tenant = await makeTenant(service);
  const siblingApp = await makeApp(service, tenant.projectId);
  const { scopeName } = await makeScope(service, siblingApp);
  const sibling = await makeKey(service, siblingApp, scopeName);
  const stranger = await makeTenant(service);
  for (const other of [sibling, stranger]) {
    expect((await tenant.api.delete(keyPath(tenant.appId, other.keyId))).outcome).toBe('404 API_KEY_NOT_FOUND');
    expect((await revoke(service, tenant.appId, other.keyId)).outcome).toBe('404 API_KEY_NOT_FOUND');
    expect((await other.api.get(ME)).outcome).toBe('200');
  }
});

it('simultaneous revocations of the same key all succeed or find it gone', async () => {
  const tenant = await makeTenant(service);
  const { keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  const path = keyPath(tenant.appId, keyId);
  const outcomes = await Promise.all(Array.from({ length: 8 }, async () => (await tenant.api.delete(path)).outcome));
  expect(outcomes).toContain('200');
  for (const outcome of outcomes) expect(outcome).toMatch(/^(200|404 API_KEY_NOT_FOUND)$/);
  expect(await rowsOf(keyId)).toBe(0);
});

it('of two keys that revoke each other at least one succeeds, and none gets a server error', async () => {
  const tenant = await makeTenant(service);
  const [a, b] = await Promise.all([1, 2].map(() => makeKey(service, tenant.appId, tenant.scopeName)));
  const outcomes = await Promise.all([
    a!.api.delete(keyPath(tenant.appId, b!.keyId)),
    b!.api.delete(keyPath(tenant.appId, a!.keyId)),
  ]);
  for (const { outcome } of outcomes) expect(outcome).toMatch(/^(200|401 API_KEY_(REVOKED|INVALID))$/);
  expect(outcomes.some(({ outcome }) => outcome === '200')).toBe(true);
});

it('what a revoked key has created stays', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName);
  const body = { scope_name: tenant.scopeName, api_key_name: 'made by another' };
  const made = await other.api.post<{ api_key: { key_id: string } }>(createPath(tenant.appId), body);
  await tenant.api.delete(keyPath(tenant.appId, other.keyId));
  expect(await rowsOf(made.body.api_key.key_id)).toBeGreaterThan(0);
});

describe('deleting a scope', () => {
  const scopePathOf = (appId: string, scopeId: string) => `${adminAppPath(appId)}/scopes/${scopeId}`;

  it('revokes its keys and no others', async () => {
    const tenant = await makeTenant(service);
    const scope = await makeKeyWith(service, tenant, ['RUN_API']);
    const second = await makeKey(service, tenant.appId, scope.scopeName);
    expect((await admin.delete(scopePathOf(tenant.appId, scope.scopeId))).outcome).toBe('200');
    for (const { api } of [scope, second]) expect((await api.get(ME)).outcome).toBe('401 API_KEY_INVALID');
    expect((await tenant.api.get(ME)).outcome).toBe('200');
    expect((await admin.get(scopePathOf(tenant.appId, scope.scopeId))).outcome).toBe('404 SCOPE_NOT_FOUND');
  });

  it('works for a scope without keys, once', async () => {
    const { appId } = await makeTenant(service);
    const { scopeId } = await makeScope(service, appId);
    expect((await admin.delete(scopePathOf(appId, scopeId))).outcome).toBe('200');
    expect((await admin.delete(scopePathOf(appId, scopeId))).outcome).toBe('404 SCOPE_NOT_FOUND');
  });

  it('leaves no key that was created at the same time', async () => {
    const tenant = await makeTenant(service);
    const { scopeId, scopeName } = await makeScope(service, tenant.appId);
    const body = (index: number) => ({ scopeName, apiKeyName: `server ${index}` });
    const [gone, ...made] = await Promise.all([
      admin.delete(scopePathOf(tenant.appId, scopeId)),
      ...Array.from({ length: 10 }, (_, index) => admin.post(`${adminAppPath(tenant.appId)}/apikeys`, body(index))),
    ]);
    // No request gets a server error: either the deletion waits for the new key, or the request finds no scope.
    for (const { outcome } of made) expect(outcome).toMatch(/^(201|404 SCOPE_NOT_FOUND)$/);
    expect(gone.outcome).toBe('200');
    expect(await service.database.rows('select from api_key where scope_id = $1', [scopeId])).toHaveLength(0);
  });
});
