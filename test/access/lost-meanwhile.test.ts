import { administratorOf, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import { atTime, HOUR } from '../support/clock.js';
import { untilRunning } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { adminAppPath, createPath } from './paths.js';

// A body may arrive long after the guards have checked the key, which may have lost its permission in the meantime.
const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

/** Begins a request that makes a key and has passed the guards. The returned function sends the rest of its body. */
async function createSlowly({ appId, scopeName, keyId, key }: Tenant) {
  const body = JSON.stringify({ scope_name: scopeName, api_key_name: 'made late' });
  const running = openRequest(service.url, { verb: 'POST', path: createPath(appId), key, begin: body.slice(0, 9) });
  await untilRunning(service, keyId);
  return async () => {
    running.finish(body.slice(9));
    return (await running.answer).outcome;
  };
}

it('a slow request makes a key if nothing has changed', async () => {
  const finish = await createSlowly(await makeTenant(service));
  expect(await finish()).toBe('201');
});

it('a slow request is refused if its scope has lost the permission', async () => {
  const tenant = await makeTenant(service);
  const finish = await createSlowly(tenant);
  await admin.patch(`${adminAppPath(tenant.appId)}/scopes/${tenant.scopeId}`, {
    permissions: { API_SCOPE_KEY_FULL: 'NO' },
  });
  expect(await finish()).toBe('403 PERMISSION_DENIED');
});

it('a slow request succeeds if its scope has lost only a permission that the route does not need', async () => {
  const tenant = await makeTenant(service);
  const finish = await createSlowly(tenant);
  await admin.patch(`${adminAppPath(tenant.appId)}/scopes/${tenant.scopeId}`, { permissions: { RUN_API: 'NO' } });
  expect(await finish()).toBe('201');
});

it('a slow request is refused if its key was rotated', async () => {
  const tenant = await makeTenant(service);
  const finish = await createSlowly(tenant);
  await admin.post(`${adminAppPath(tenant.appId)}/apikeys/${tenant.keyId}/rotate`);
  expect(await finish()).toBe('401 API_KEY_EXPIRED');
});

it('a slow request is refused if its key has expired', async () => {
  const tenant = await makeTenant(service);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  await admin.patch(`${adminAppPath(tenant.appId)}/apikeys/${tenant.keyId}`, { expiresAt });
  const finish = await createSlowly(tenant);
  expect(await atTime(Date.now() + 2 * HOUR, finish)).toBe('401 API_KEY_EXPIRED');
});

it('a slow request is refused if the ceiling of its scope was lowered', async () => {
  const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] });
  const other = await makeKeyWith(service, tenant, ['RUN_API']);
  const finish = await createSlowly({ ...tenant, scopeName: other.scopeName });
  await admin.patch(`${adminAppPath(tenant.appId)}/scopes/${tenant.scopeId}`, {
    ceiling: { API_SCOPE_KEY_FULL: 'YES' },
  });
  expect(await finish()).toMatch(/^(403 PERMISSION_CEILING|503 BUSY)$/);
});
