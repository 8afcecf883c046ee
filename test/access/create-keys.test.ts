import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toPermissionMap } from '../../src/kernel/permissions.js';
import { makeApp, makeKeyWith, makeScope, makeTenant, type Tenant } from '../support/actors.js';
import { Client, faultsAt } from '../support/client.js';
import { atTime, HOUR, MINUTE } from '../support/clock.js';
import { startService } from '../support/service.js';
import { createPath, ME } from './paths.js';
import type { NewKeyBody } from './views.js';

const service = await startService();
afterAll(() => service.stop());

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

function create({ api, appId, scopeName }: Tenant, changes: object = {}) {
  return api.post<NewKeyBody>(createPath(appId), { scope_name: scopeName, api_key_name: 'server-1', ...changes });
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

it('creating a key answers 201 with the key, its scope and meta, and nothing else', async () => {
  const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL', 'RUN_API'] });
  const answer = await create(tenant);
  expect(answer.status).toBe(201);
  expect(answer.body).toStrictEqual({
    success: true,
    api_key: {
      apikey: expect.stringMatching(/^sw_[0-9A-Za-z]{49}$/) as string,
      key_id: expect.stringMatching(/^ak-[0-9A-Za-z]{22}$/) as string,
      key_name: 'server-1',
      scope_name: tenant.scopeName,
      expires_at: null,
    },
    scope: {
      scope_id: tenant.scopeId,
      scope_name: tenant.scopeName,
      description: '',
      created_at: ISO,
      permissions: toPermissionMap(['API_SCOPE_KEY_FULL', 'RUN_API']),
    },
    meta: { requestId: answer.headers.get('x-request-id'), timestamp: ISO },
  });
});

it('a new key works at once', async () => {
  const { api_key } = (await create(await makeTenant(service))).body;
  const me = await Client.withKey(service, api_key.apikey).get(ME);
  expect(me).toMatchObject({ outcome: '200', body: { key_id: api_key.key_id, key_name: 'server-1' } });
});

it('a key ends in the checksum of the characters before it', async () => {
  const { apikey } = (await create(await makeTenant(service))).body.api_key;
  expect(apikey.slice(-6)).toBe(checksumOf(apikey.slice(0, -6)));
});

it('the database has only a digest of a key, made with the pepper, and its last four characters', async () => {
  const tenant = await makeTenant(service);
  const { apikey } = (await create(tenant)).body.api_key;
  const kept = await service.database.dump();
  expect(kept).toContain(createHmac('sha256', process.env.SLIPWAY_PEPPER!).update(apikey).digest('base64url'));
  for (let at = 3; at + 8 <= apikey.length; at += 1) expect(kept).not.toContain(apikey.slice(at, at + 8));
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    expect(kept).not.toContain(createHash('sha256').update(apikey).digest(form));
    expect(kept).not.toContain(Buffer.from(apikey).toString(form));
  }
});

it('no answer shows a key a second time', async () => {
  const tenant = await makeTenant(service);
  const { apikey } = (await create(tenant)).body.api_key;
  const admin = new Client(service.url, { 'x-api-key': service.adminKey });
  const list = await admin.get(`/api/admin/v1/apps/${tenant.appId}/apikeys`);
  expect(list.status).toBe(200);
  expect(list.text).not.toContain(apikey.slice(3, -4));
});

it('the space around a key’s name is removed', async () => {
  expect((await create(await makeTenant(service), { api_key_name: '  my server \n' })).body.api_key.key_name).toBe(
    'my server',
  );
});

it.each(['a', 'a'.repeat(128), 'Größe 1/2', '\u{1F511}', "o'neill; drop table"])(
  'a key may have the name %s',
  async (name) => {
    const answer = await create(await makeTenant(service), { api_key_name: name });
    expect(answer).toMatchObject({ outcome: '201', body: { api_key: { key_name: name } } });
  },
);

it.each([
  ['empty', ''],
  ['blank', '  '],
  ['too long', 'a'.repeat(129)],
  ['of two lines', 'a\nb'],
  ['no text', 7],
  ['null', null],
])('refuses a name that is %s', async (_, name) => {
  expect(await create(await makeTenant(service), { api_key_name: name })).toMatchObject(faultsAt('api_key_name'));
});

it('the refusal names every missing member', async () => {
  const { api, appId } = await makeTenant(service);
  expect(await api.post(createPath(appId), {})).toMatchObject(faultsAt('scope_name', 'api_key_name'));
  expect((await api.post(createPath(appId))).outcome).toBe('400 VALIDATION_ERROR');
});

it('a scope of another app is 404, as one that does not exist', async () => {
  const tenant = await makeTenant(service);
  const elsewhere = await makeScope(service, await makeApp(service, tenant.projectId));
  for (const name of ['nobody’s', elsewhere.scopeName]) {
    expect((await create(tenant, { scope_name: name })).outcome).toBe('404 SCOPE_NOT_FOUND');
  }
});

it('the scope is found without regard to case', async () => {
  const tenant = await makeTenant(service);
  const answer = await create(tenant, { scope_name: tenant.scopeName.toUpperCase() });
  expect(answer.body.api_key.scope_name).toBe(tenant.scopeName);
});

it('a key makes keys of any scope of its app, not only of its own scope', async () => {
  const tenant = await makeTenant(service);
  const other = await makeKeyWith(service, tenant, ['RUN_API']);
  const answer = await create(tenant, { scope_name: other.scopeName });
  expect(answer).toMatchObject({ outcome: '201', body: { scope: { scope_id: other.scopeId } } });
});

describe('expires_at', () => {
  it('ends a key at that time and not before', async () => {
    const expiresAt = Date.now() + HOUR;
    const answer = await create(await makeTenant(service), { expires_at: new Date(expiresAt).toISOString() });
    expect(answer.status).toBe(201);
    const api = Client.withKey(service, answer.body.api_key.apikey);
    const outcomeAt = (time: number) => atTime(time, async () => (await api.get(ME)).outcome);
    expect(await outcomeAt(Date.now())).toBe('200');
    expect(await outcomeAt(expiresAt - 1)).toBe('200');
    expect(await outcomeAt(expiresAt)).toBe('401 API_KEY_EXPIRED');
    expect(await outcomeAt(expiresAt + MINUTE)).toBe('401 API_KEY_EXPIRED');
  });

  it('is accepted in any offset and answered in UTC', async () => {
    const tenant = await makeTenant(service);
    const { apikey, expires_at } = (await create(tenant, { expires_at: '2999-01-01T00:30:00+01:00' })).body.api_key;
    expect(expires_at).toBe('2998-12-31T23:30:00.000Z');
    expect((await Client.withKey(service, apikey).get(ME)).body).toMatchObject({
      expires_at: '2998-12-31T23:30:00.000Z',
    });
  });

  it('may be null, and then the key does not expire', async () => {
    const { apikey } = (await create(await makeTenant(service), { expires_at: null })).body.api_key;
    expect((await Client.withKey(service, apikey).get(ME)).body).toMatchObject({ expires_at: null });
  });

  it.each([
    '2020-01-01T00:00:00Z',
    '2999-01-01',
    '2999-01-01T00:00:00',
    '2999-13-01T00:00:00Z',
    'soon',
    '',
    32503680000,
  ])('is refused as %j', async (expires_at) => {
    expect(await create(await makeTenant(service), { expires_at })).toMatchObject(faultsAt('expires_at'));
  });
});
