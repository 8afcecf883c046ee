import { administratorOf, makeKey, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import { Client, faultsAt } from '../support/client.js';
import { atTime, DAY, MINUTE } from '../support/clock.js';
import { startService } from '../support/service.js';
import { adminAppPath, ME, rotatePath } from './paths.js';
import type { NewKeyBody } from './views.js';

const service = await startService();
afterAll(() => service.stop());

function rotate({ api, appId }: Tenant, keyId: string, body?: object) {
  return api.post<NewKeyBody>(rotatePath(appId, keyId), body);
}

const outcomeWith = async (key: string) => (await Client.withKey(service, key).get(ME)).outcome;

it('a key of the same scope gets a new value under the same id and name', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKey(service, tenant.appId, tenant.scopeName, { name: 'server' });
  const answer = await rotate(tenant, other.keyId);
  expect(answer.outcome).toBe('200');
  expect(Object.keys(answer.body).sort()).toEqual(['api_key', 'meta', 'scope', 'success']);
  const { apikey, ...rest } = answer.body.api_key;
  expect(rest).toEqual({ key_id: other.keyId, key_name: 'server', scope_name: tenant.scopeName, expires_at: null });
  expect(apikey).not.toBe(other.key);
  expect(await Client.withKey(service, apikey).get(ME)).toMatchObject({
    outcome: '200',
    body: { key_id: other.keyId },
  });
});

it('the previous value ends at once without a grace period', async () => {
  const tenant = await makeTenant(service);
  for (const body of [undefined, {}, { grace_seconds: 0 }]) {
    const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
    const { apikey } = (await rotate(tenant, keyId, body)).body.api_key;
    expect(await outcomeWith(key)).toBe('401 API_KEY_EXPIRED');
    expect(await outcomeWith(apikey)).toBe('200');
  }
});

it('the previous value works until the end of the grace period', async () => {
  const tenant = await makeTenant(service);
  const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
  const rotated = Date.now();
  const { apikey } = (await rotate(tenant, keyId, { grace_seconds: 600 })).body.api_key;
  expect([await outcomeWith(key), await outcomeWith(apikey)]).toEqual(['200', '200']);
  await atTime(rotated + 9 * MINUTE, async () => {
    expect([await outcomeWith(key), await outcomeWith(apikey)]).toEqual(['200', '200']);
  });
  await atTime(rotated + 11 * MINUTE, async () => {
    expect([await outcomeWith(key), await outcomeWith(apikey)]).toEqual(['401 API_KEY_EXPIRED', '200']);
  });
});

it('a rotation never makes an earlier grace period longer', async () => {
  const tenant = await makeTenant(service);
  const { keyId, key: first } = await makeKey(service, tenant.appId, tenant.scopeName);
  const second = (await rotate(tenant, keyId, { grace_seconds: 60 })).body.api_key.apikey;
  const third = (await rotate(tenant, keyId, { grace_seconds: 3600 })).body.api_key.apikey;
  await atTime(Date.now() + 2 * MINUTE, async () => {
    expect(await outcomeWith(first)).toBe('401 API_KEY_EXPIRED');
    expect([await outcomeWith(second), await outcomeWith(third)]).toEqual(['200', '200']);
  });
});

it('a value is deleted a month after its end', async () => {
  const tenant = await makeTenant(service);
  const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
  await rotate(tenant, keyId);
  expect(await atTime(Date.now() + 29 * DAY, () => outcomeWith(key))).toBe('401 API_KEY_EXPIRED');
  await atTime(Date.now() + 31 * DAY, async () => {
    expect(await outcomeWith(key)).toBe('401 API_KEY_INVALID');
    expect((await rotate(tenant, keyId)).outcome).toBe('200');
  });
  expect(await service.database.rows('select from api_key_value where key_id = $1', [keyId])).toHaveLength(2);
});

it('one value is left when a key is rotated many times at once without a grace period', async () => {
  const tenant = await makeTenant(service);
  const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
  const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(tenant, keyId)));
  const values = [key, ...answers.filter(({ status }) => status === 200).map(({ body }) => body.api_key.apikey)];
  const outcomes = await Promise.all(values.map(outcomeWith));
  expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
});

it('a key can rotate itself', async () => {
  const tenant = await makeTenant(service);
  const { apikey } = (await rotate(tenant, tenant.keyId)).body.api_key;
  expect(await outcomeWith(tenant.key)).toBe('401 API_KEY_EXPIRED');
  expect(await outcomeWith(apikey)).toBe('200');
});

it('a rotation does not change when the key expires', async () => {
  const tenant = await makeTenant(service);
  const expiresAt = '2999-01-01T00:00:00.000Z';
  const { keyId } = await makeKey(service, tenant.appId, tenant.scopeName, { expiresAt });
  const { apikey } = (await rotate(tenant, keyId)).body.api_key;
  expect((await Client.withKey(service, apikey).get(ME)).body).toMatchObject({ expires_at: expiresAt });
});

it('a key cannot rotate a key of another scope', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKeyWith(service, tenant, ['RUN_API']);
  expect((await rotate(tenant, other.keyId)).outcome).toBe('403 SCOPE_MISMATCH');
  expect(await outcomeWith(other.key)).toBe('200');
});

it('an administrator can rotate any key', async () => {
  const { appId, keyId, key } = await makeTenant(service, { permissions: ['RUN_API'] });
  const path = `${adminAppPath(appId)}/apikeys/${keyId}/rotate`;
  const answer = await administratorOf(service).post<{ data: { apikey: string } }>(path, { graceSeconds: 60 });
  expect(answer.outcome).toBe('200');
  expect(await outcomeWith(answer.body.data.apikey)).toBe('200');
  expect(await outcomeWith(key)).toBe('200');
});

it.each([-1, 1.5, '60', 30 * 24 * 3600 + 1, null])('a grace period of %j seconds is refused', async (grace_seconds) => {
  const tenant = await makeTenant(service);
  expect(await rotate(tenant, tenant.keyId, { grace_seconds })).toMatchObject(faultsAt('grace_seconds'));
  expect(await outcomeWith(tenant.key)).toBe('200');
});
