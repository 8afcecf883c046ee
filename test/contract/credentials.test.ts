import { newKeyValue } from '../../src/kernel/key-format.js';
import { makeKey, makeTenant, revoke } from '../support/actors.js';
import { Client } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { countQueries } from '../support/count-queries.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { canHaveBody, isAdministration, isOpen, isProjects, RouteSuite } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { startService } from '../support/service.js';

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

/** Replaces the last character of the key, so that its checksum is wrong. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

async function expiredKey(): Promise<string> {
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  return (await makeKey(service, tenant.appId, tenant.scopeName, { expiresAt })).key;
}

async function revokedKey(): Promise<string> {
  const { keyId, key } = await makeKey(service, tenant.appId, tenant.scopeName);
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
  return key;
}

async function revokedAdminKey(): Promise<string> {
  const { adminKeyId, adminKey } = await makeAdminKey(service);
  expect((await revokeAdminKey(service, adminKeyId)).outcome).toBe('200');
  return adminKey;
}

const expired = await expiredKey();
const revokedOfProject = await revokedKey();
const revokedAdmin = await revokedAdminKey();
const otherAdmin = (await makeAdminKey(service)).adminKey;

describe.each(suite.where((route) => isProjects(route) || isAdministration(route)))('%s refuses', (_, route) => {
  const good = isAdministration(route) ? service.adminKey : tenant.key;
  const known = isAdministration(route) ? newKeyValue('swa_') : tenant.key;
  let request: RouteRequest;
  beforeAll(async () => (request = await suite.keptSample(route, tenant)));

  const outcomeWith = async (headers: Record<string, string>, more = {}) =>
    (await suite.send(new Client(service.url, headers), route, request, more)).outcome;

  it('a request without a key', async () => {
    expect(await outcomeWith({})).toBe('401 API_KEY_MISSING');
    expect(await outcomeWith({ 'x-api-key': '' })).toBe('401 API_KEY_MISSING');
  });

  it('a mistyped key, without asking the database', async () => {
    const refused = async () => {
      expect(await outcomeWith({ 'x-api-key': mistyped(known) })).toBe('401 API_KEY_INVALID');
      expect(await outcomeWith({ apikey: known.slice(0, -1) })).toBe('401 API_KEY_INVALID');
      expect(await outcomeWith({ apikey: 'nonsense' })).toBe('401 API_KEY_INVALID');
    };
    // The service may send queries of its own meanwhile. A query of the requests themselves would be there in each
    // attempt.
    await eventually(
      () => countQueries(service, refused),
      (queries) => queries === 0,
    );
  });

  it('a well-formed key that was never issued', async () => {
    expect(await outcomeWith({ 'x-api-key': newKeyValue('sw_') })).toBe('401 API_KEY_INVALID');
    expect(await outcomeWith({ 'x-api-key': newKeyValue('swa_') })).toBe('401 API_KEY_INVALID');
  });

  it('a revoked key', async () => {
    const revoked = isAdministration(route) ? revokedAdmin : revokedOfProject;
    expect(await outcomeWith({ 'x-api-key': revoked })).toBe('401 API_KEY_INVALID');
  });

  it('a key of the other kind', async () => {
    const others = isAdministration(route) ? [tenant.key] : [service.adminKey, otherAdmin];
    for (const other of others) expect(await outcomeWith({ 'x-api-key': other })).toBe('401 API_KEY_INVALID');
  });

  it('two keys that differ, even if one is good', async () => {
    expect(await outcomeWith({ 'x-api-key': good, apikey: newKeyValue('sw_') })).toBe('401 API_KEY_INVALID');
    expect(await outcomeWith({ 'x-api-key': newKeyValue('sw_'), apikey: good })).toBe('401 API_KEY_INVALID');
    expect(await outcomeWith({ 'x-api-key': '', apikey: good })).toBe('401 API_KEY_INVALID');
  });

  it('a key that is only in the address or in the body', async () => {
    const query = { 'x-api-key': good, apikey: good, api_key: good };
    expect(await outcomeWith({}, { query })).toBe('401 API_KEY_MISSING');
    if (canHaveBody(route)) expect(await outcomeWith({}, { body: query })).toBe('401 API_KEY_MISSING');
  });

  it('before it reads the body', async () => {
    if (!canHaveBody(route)) return;
    expect(await outcomeWith({}, { rawBody: '{"not": json' })).toBe('401 API_KEY_MISSING');
    const type = { 'content-type': 'text/plain', 'x-api-key': mistyped(known) };
    expect(await outcomeWith(type, { rawBody: 'x', headers: type })).toBe('401 API_KEY_INVALID');
  });
});

describe.each(suite.where(isProjects))('%s refuses', (_, route) => {
  it('an expired key', async () => {
    const request = await suite.keptSample(route, tenant);
    const outcome = await atTime(
      Date.now() + 2 * HOUR,
      async () => (await suite.send(Client.withKey(service, expired), route, request)).outcome,
    );
    expect(outcome).toBe('401 API_KEY_EXPIRED');
  });
});

describe.each(suite.where(isOpen))('%s', (_, route) => {
  it('is open, and ignores even a bad key', async () => {
    const client = new Client(service.url, { 'x-api-key': 'nonsense', apikey: 'other nonsense' });
    const answer = await suite.send(client, route, await suite.sample(route, tenant));
    expect(answer.outcome).toBe(String(route.status));
  });
});
