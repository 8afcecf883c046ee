import type { Permission } from '../../src/kernel/permissions.js';
import {
  administratorOf,
  makeKey,
  makeKeyWith,
  makeScope,
  makeTenant,
  yesTo,
  type Granted,
  type Tenant,
} from '../support/actors.js';
import { startService } from '../support/service.js';
import { adminAppPath, createPath, keyPath, scopePath } from './paths.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const MANAGER: Granted = ['API_SCOPE_KEY_FULL'];

const tenantBelow = (ceiling: Granted | null) => makeTenant(service, { permissions: MANAGER, ceiling });
const grant = ({ api, appId, scopeId }: Tenant, ...permissions: Permission[]) =>
  api.put(scopePath(appId, scopeId), { permissions: yesTo(permissions) });
const above = (...permissions: string[]) => ({
  outcome: '403 PERMISSION_CEILING',
  body: { error: { details: { above: permissions } } },
});

describe('a key that raises its scope', () => {
  it('may grant every permission if the scope has no ceiling', async () => {
    expect((await grant(await tenantBelow(null), 'RUN_API', 'APP_FULL', 'analytics:write')).outcome).toBe('200');
  });

  it('may grant permissions up to the ceiling, and the refusal names those above', async () => {
    const tenant = await tenantBelow([...MANAGER, 'RUN_API']);
    expect((await grant(tenant, 'RUN_API')).outcome).toBe('200');
    expect(await grant(tenant, 'RUN_API', 'SESSIONS_LIST', 'analytics:read')).toMatchObject(
      above('SESSIONS_LIST', 'analytics:read'),
    );
  });

  it('changes nothing of the scope if it is refused', async () => {
    const tenant = await tenantBelow([...MANAGER, 'RUN_API']);
    await grant(tenant, 'RUN_API', 'SESSIONS_LIST');
    expect((await tenant.api.get(scopePath(tenant.appId, tenant.scopeId))).body).toMatchObject({
      scope: { permissions: { RUN_API: 'NO', SESSIONS_LIST: 'NO' } },
    });
  });

  it('may grant permissions that the ceiling implies', async () => {
    const tenant = await tenantBelow([...MANAGER, 'AGENTS_FULL']);
    expect((await grant(tenant, 'AGENTS_VIEW', 'AGENTS_EDIT')).outcome).toBe('200');
  });

  it('may not grant a permission that implies one above the ceiling', async () => {
    const tenant = await tenantBelow([...MANAGER, 'AGENTS_EDIT']);
    expect(await grant(tenant, 'AGENTS_FULL')).toMatchObject(above('AGENTS_FULL'));
  });

  it('may revoke permissions whatever the ceiling is', async () => {
    const tenant = await makeTenant(service, {
      permissions: [...MANAGER, 'RUN_API'],
      ceiling: [...MANAGER, 'RUN_API'],
    });
    const answer = await tenant.api.put(scopePath(tenant.appId, tenant.scopeId), { permissions: { RUN_API: 'NO' } });
    expect(answer.outcome).toBe('200');
  });
});

describe('a key that makes or revokes keys of a scope', () => {
  const outcomesOn = async (tenant: Tenant, scope: { scopeName: string }) => {
    const create = await tenant.api.post(createPath(tenant.appId), {
      scope_name: scope.scopeName,
      api_key_name: 'new',
    });
    const { keyId } = await makeKey(service, tenant.appId, scope.scopeName);
    const revoke = await tenant.api.delete(keyPath(tenant.appId, keyId));
    return [create.outcome, revoke.outcome];
  };
  const REFUSED = ['403 PERMISSION_CEILING', '403 PERMISSION_CEILING'];

  it.each<[string, Granted | null, Granted | null, string[]]>([
    ['may where neither has a ceiling', null, null, ['201', '200']],
    ['may where only the other has one', null, [...MANAGER, 'RUN_API'], ['201', '200']],
    ['may where both are the same', [...MANAGER, 'RUN_API'], [...MANAGER, 'RUN_API'], ['201', '200']],
    ['may where the other’s is lower', [...MANAGER, 'RUN_API'], ['RUN_API'], ['201', '200']],
    [
      'may where its own implies the other’s',
      [...MANAGER],
      ['API_SCOPE_KEY_VIEW', 'API_SCOPE_KEY_EDIT'],
      ['201', '200'],
    ],
    ['may where the other’s is nothing at all', [...MANAGER], [], ['201', '200']],
    ['may not where the other’s is higher', [...MANAGER], [...MANAGER, 'RUN_API'], REFUSED],
    ['may not where the other’s only overlaps', [...MANAGER, 'RUN_API'], ['RUN_API', 'APP_VIEW'], REFUSED],
    ['may not where the other has none', [...MANAGER], null, REFUSED],
  ])('%s', async (_, own, others, outcomes) => {
    const tenant = await tenantBelow(own);
    const scope = await makeScope(service, tenant.appId, { permissions: [], ceiling: others });
    expect(await outcomesOn(tenant, scope)).toEqual(outcomes);
  });

  it('does not learn the ceiling of another scope', async () => {
    const tenant = await tenantBelow(MANAGER);
    const { scopeName } = await makeScope(service, tenant.appId, { permissions: [], ceiling: ['RUN_API', 'APP_EDIT'] });
    const answer = await tenant.api.post(createPath(tenant.appId), { scope_name: scopeName, api_key_name: 'new' });
    expect(answer.outcome).toBe('403 PERMISSION_CEILING');
    expect(answer.text).not.toContain('APP_EDIT');
  });

  it('leaves the other scope’s key as it was if it is refused', async () => {
    const tenant = await tenantBelow(MANAGER);
    const other = await makeKeyWith(service, tenant, ['RUN_API']);
    await tenant.api.delete(keyPath(tenant.appId, other.keyId));
    expect((await other.api.get('/api/public/me')).outcome).toBe('200');
  });
});

describe('an administrator', () => {
  it('sets, raises and removes a ceiling', async () => {
    const tenant = await tenantBelow(MANAGER);
    const path = `${adminAppPath(tenant.appId)}/scopes/${tenant.scopeId}`;
    expect((await grant(tenant, 'RUN_API')).outcome).toBe('403 PERMISSION_CEILING');
    await admin.patch(path, { ceiling: yesTo([...MANAGER, 'RUN_API']) });
    expect((await grant(tenant, 'RUN_API')).outcome).toBe('200');
    expect((await grant(tenant, 'APP_VIEW')).outcome).toBe('403 PERMISSION_CEILING');
    await admin.patch(path, { ceiling: null });
    expect((await grant(tenant, 'APP_VIEW')).outcome).toBe('200');
  });

  it('cannot set a ceiling below the scope’s permissions, but lowers both at once', async () => {
    const { appId, scopeId } = await makeTenant(service, { permissions: ['RUN_API', 'APP_VIEW'] });
    const path = `${adminAppPath(appId)}/scopes/${scopeId}`;
    expect(await admin.patch(path, { ceiling: yesTo(['RUN_API']) })).toMatchObject(above('APP_VIEW'));
    const both = await admin.patch(path, { ceiling: yesTo(['RUN_API']), permissions: { APP_VIEW: 'NO' } });
    expect(both.outcome).toBe('200');
  });

  it('cannot create a scope with permissions above its ceiling', async () => {
    const { appId } = await makeTenant(service);
    const body = { scopeName: 'new', permissions: yesTo(['RUN_API']), ceiling: yesTo(['APP_VIEW']) };
    expect(await admin.post(`${adminAppPath(appId)}/scopes`, body)).toMatchObject(above('RUN_API'));
  });
});
