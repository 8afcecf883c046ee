import { PERMISSION_NAMES, toPermissionMap } from '../../src/kernel/permissions.js';
import { administratorOf, makeKey, makeKeyWith, makeScope, makeTenant } from '../support/actors.js';
import { Client, faultsAt } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { startService } from '../support/service.js';
import { adminAppPath, ME } from './paths.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const scopesPath = (appId: string, scopeId = '') => `${adminAppPath(appId)}/scopes${scopeId && `/${scopeId}`}`;
const keysPath = (appId: string, keyId = '') => `${adminAppPath(appId)}/apikeys${keyId && `/${keyId}`}`;

describe('a scope, for administrators', () => {
  it('is created with permissions, a description and a ceiling', async () => {
    const { appId } = await makeTenant(service);
    const input = {
      scopeName: 'backend',
      description: ' Our servers ',
      permissions: { RUN_API: 'YES', APP_VIEW: 'NO' },
    };
    const answer = await admin.post(scopesPath(appId), { ...input, ceiling: { RUN_API: 'YES' } });
    expect(answer.outcome).toBe('201');
    expect(answer.body).toMatchObject({
      success: true,
      data: {
        scopeId: expect.stringMatching(/^as-/) as string,
        appId,
        scopeName: 'backend',
        description: 'Our servers',
        permissions: toPermissionMap(['RUN_API']),
        ceiling: toPermissionMap(['RUN_API']),
      },
    });
  });

  it('has no ceiling unless it is given one', async () => {
    const { appId } = await makeTenant(service);
    const answer = await admin.post(scopesPath(appId), { scopeName: 'backend', permissions: {} });
    expect(answer.body).toMatchObject({ data: { description: '', ceiling: null, permissions: toPermissionMap([]) } });
  });

  it('has a name that is unique in its app without regard to case', async () => {
    const { appId, scopeName } = await makeTenant(service);
    const input = { scopeName: scopeName.toUpperCase(), permissions: {} };
    expect((await admin.post(scopesPath(appId), input)).outcome).toBe('409 DUPLICATE_SCOPE_NAME');
    const elsewhere = await makeTenant(service);
    expect((await admin.post(scopesPath(elsewhere.appId), input)).outcome).toBe('201');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => admin.post(scopesPath(appId), { ...input, scopeName: 'raced' })),
    );
    expect(answers.filter(({ outcome }) => outcome === '201')).toHaveLength(1);
  });

  it('is changed member by member', async () => {
    const { appId, scopeId, scopeName } = await makeTenant(service);
    const path = scopesPath(appId, scopeId);
    const described = await admin.patch(path, { description: 'New' });
    expect(described.body).toMatchObject({
      data: { scopeName, description: 'New', permissions: toPermissionMap(PERMISSION_NAMES) },
    });
    const renamed = await admin.patch(path, { scopeName: 'renamed', permissions: { RUN_API: 'NO' } });
    expect(renamed.body).toMatchObject({
      data: { scopeName: 'renamed', description: 'New', permissions: { RUN_API: 'NO', APP_VIEW: 'YES' } },
    });
    expect((await admin.get(path)).body).toMatchObject({
      data: { scopeName: 'renamed', permissions: { RUN_API: 'NO' } },
    });
  });

  it('cannot take another’s name', async () => {
    const { appId, scopeName } = await makeTenant(service);
    const { scopeId } = await makeScope(service, appId);
    const answer = await admin.patch(scopesPath(appId, scopeId), { scopeName });
    expect(answer.outcome).toBe('409 DUPLICATE_SCOPE_NAME');
  });

  it('names unknown permissions in permissions and in the ceiling', async () => {
    const { appId } = await makeTenant(service);
    const input = { scopeName: 'x', permissions: { NOPE: 'YES' }, ceiling: { RUN_API: 'MAYBE' } };
    expect(await admin.post(scopesPath(appId), input)).toMatchObject(faultsAt('permissions.NOPE', 'ceiling.RUN_API'));
  });
});

describe('a key, for administrators', () => {
  it('is shown when it is created and masked afterwards', async () => {
    const { appId, scopeId, scopeName } = await makeTenant(service);
    const expiresAt = '2999-01-01T00:00:00.000Z';
    const made = await admin.post<{ data: { keyId: string; apikey: string } }>(keysPath(appId), {
      scopeName,
      apiKeyName: 'server',
      expiresAt,
    });
    expect(made.outcome).toBe('201');
    const { apikey, ...row } = made.body.data;
    expect(row).toMatchObject({ apiKeyName: 'server', scopeId, scopeName, expiresAt, lastUsedAt: null });
    const read = await admin.get(keysPath(appId, row.keyId));
    expect(read.body).toMatchObject({ data: row });
    expect(read.body).toMatchObject({ data: { maskedKey: `sw_********${apikey.slice(-4)}` } });
    expect(read.text).not.toContain(apikey);
  });

  it('is renamed, and its expiry is set and removed', async () => {
    const tenant = await makeTenant(service);
    const path = keysPath(tenant.appId, tenant.keyId);
    const expiresAt = new Date(Date.now() + HOUR).toISOString();
    expect((await admin.patch(path, { apiKeyName: 'renamed', expiresAt })).body).toMatchObject({
      data: { apiKeyName: 'renamed', expiresAt },
    });
    const later = async () => atTime(Date.now() + 2 * HOUR, async () => (await tenant.api.get(ME)).outcome);
    expect(await later()).toBe('401 API_KEY_EXPIRED');
    expect((await admin.patch(path, { expiresAt: null })).body).toMatchObject({
      data: { apiKeyName: 'renamed', expiresAt: null },
    });
    expect(await later()).toBe('200');
  });

  it('cannot take another’s name', async () => {
    const { appId, scopeName, keyId } = await makeTenant(service);
    await makeKey(service, appId, scopeName, { name: 'taken' });
    const answer = await admin.patch(keysPath(appId, keyId), { apiKeyName: 'TAKEN' });
    expect(answer.outcome).toBe('409 DUPLICATE_API_KEY_NAME');
  });

  it.each(['2020-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])(
    'cannot expire in the past or after 9999: %s',
    async (expiresAt) => {
      const { appId, keyId } = await makeTenant(service);
      expect(await admin.patch(keysPath(appId, keyId), { expiresAt })).toMatchObject(faultsAt('expiresAt'));
    },
  );

  it('refuses a cursor with a time that this service does not write', async () => {
    const tenant = await makeTenant(service);
    await makeKeyWith(service, tenant, ['RUN_API']);
    await admin.patch(keysPath(tenant.appId, tenant.keyId), { expiresAt: '2999-01-01T00:00:00Z' });
    const query = { sort: 'expiresAt', limit: '1' };
    const { body } = await admin.get<{ meta: { nextCursor: string } }>(keysPath(tenant.appId), { query });
    const position = Buffer.from(body.meta.nextCursor, 'base64url').toString();
    expect(position).toContain('"2999-01-01T00:00:00.000Z"');
    for (const time of [`2999-01-01T00:00:00.${'0'.repeat(200)}Z`, '2999-01-01T00:00:00Z']) {
      const cursor = Buffer.from(position.replace('2999-01-01T00:00:00.000Z', time)).toString('base64url');
      const answer = await admin.get(keysPath(tenant.appId), { query: { ...query, cursor } });
      expect(answer).toMatchObject(faultsAt('cursor'));
    }
  });

  it('is listed with the keys of all scopes of its app and of no other app', async () => {
    const tenant = await makeTenant(service);
    const other = await makeKeyWith(service, tenant, ['RUN_API']);
    await makeTenant(service);
    const { body } = await admin.get<{ data: { keyId: string }[] }>(keysPath(tenant.appId));
    expect(body.data.map(({ keyId }) => keyId)).toEqual([tenant.keyId, other.keyId]);
  });

  it('is created whatever the ceiling of its scope is', async () => {
    const { appId } = await makeTenant(service);
    const { scopeName } = await makeScope(service, appId, { permissions: [], ceiling: ['APP_VIEW'] });
    const { key } = await makeKey(service, appId, scopeName);
    expect((await Client.withKey(service, key).get(ME)).outcome).toBe('200');
  });
});
