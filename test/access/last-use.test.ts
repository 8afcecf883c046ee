import { administratorOf, makeKey, makeTenant, type Key, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { atTime, HOUR, MINUTE } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { untilUsed } from '../support/running.js';
import { startService } from '../support/service.js';
import { adminAppPath, ME } from './paths.js';

const service = await startService();
const { database } = service;
let tenant: Tenant;
beforeEach(async () => (tenant = await makeTenant(service)));
afterAll(() => service.stop());

/** Reads `xmin` as well, which is the transaction that wrote the row, so that the test can tell two writes apart. */
async function useOf({ keyId }: Key) {
  const rows = await database.rows<{ last_used_at: Date; xmin: string }>(
    'select last_used_at, xmin from api_key_use where key_id = $1',
    [keyId],
  );
  return rows[0];
}

async function shownFor({ keyId }: Key): Promise<string | null> {
  const path = `${adminAppPath(tenant.appId)}/apikeys/${keyId}`;
  return (await administratorOf(service).get<{ data: { lastUsedAt: string | null } }>(path)).body.data.lastUsedAt;
}

it('the last use of an unused key is null', async () => {
  expect(await shownFor(tenant)).toBeNull();
});

it('the last use of a key is shown to administrators', async () => {
  const before = Date.now();
  await tenant.api.get(ME);
  const shown = await eventually(() => shownFor(tenant));
  expect(Date.parse(shown!)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(shown!)).toBeLessThanOrEqual(Date.now());
});

it('the last use is written once a minute, however often the key is used', async () => {
  await tenant.api.get(ME);
  await untilUsed(database, tenant.keyId);
  const first = await useOf(tenant);
  for (let count = 0; count < 30; count += 1) await tenant.api.get(ME);
  expect(await useOf(tenant)).toEqual(first);

  const later = Date.now() + 61_000;
  await atTime(later, () => tenant.api.get(ME));
  const second = await eventually(
    () => useOf(tenant),
    (use) => use?.xmin !== first?.xmin,
  );
  expect(second?.last_used_at.getTime()).toBe(later);
});

it('the last use is written once a minute by all processes together', async () => {
  await tenant.api.get(ME);
  await untilUsed(database, tenant.keyId);
  const first = await useOf(tenant);
  const other = await startProcess(service.settings);
  const api = Client.withKey(other, tenant.key);
  for (let count = 0; count < 30; count += 1) expect((await api.get(ME)).outcome).toBe('200');
  expect(await useOf(tenant)).toEqual(first);
  await other.kill();
});

it('the last use includes refused requests of a valid key, and invalid keys have none', async () => {
  const limited = await makeTenant(service, { permissions: ['HTTP_ASYNC_SEND'] });
  expect((await limited.api.get(ME)).outcome).toBe('403 PERMISSION_DENIED');
  await untilUsed(database, limited.keyId);

  const expired = await makeKey(service, tenant.appId, tenant.scopeName, {
    expiresAt: new Date(Date.now() + HOUR).toISOString(),
  });
  await atTime(Date.now() + HOUR + MINUTE, () => expired.api.get(ME));
  await tenant.api.get(ME);
  await untilUsed(database, tenant.keyId);
  expect(await useOf(expired)).toBeUndefined();
});
