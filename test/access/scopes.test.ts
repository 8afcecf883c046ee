import { PERMISSION_NAMES, type Permission, toPermissionMap } from '../../src/kernel/permissions.js';
import { administratorOf, makeKey, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { ME, scopePath } from './paths.js';
import type { ScopeBody } from './views.js';

const service = await startService();
afterAll(() => service.stop());

const read = ({ api, appId, scopeId }: Tenant) => api.get<{ scope: ScopeBody }>(scopePath(appId, scopeId));
const change = ({ api, appId, scopeId }: Tenant, permissions: unknown) =>
  api.put<{ scope: ScopeBody }>(scopePath(appId, scopeId), { permissions });

describe('reading a scope', () => {
  it('answers with the scope and meta, and nothing else', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL', 'analytics:read'] });
    const answer = await read(tenant);
    expect(answer.outcome).toBe('200');
    expect(answer.body).toStrictEqual({
      success: true,
      scope: {
        scope_id: tenant.scopeId,
        scope_name: tenant.scopeName,
        description: '',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        permissions: toPermissionMap(['API_SCOPE_KEY_FULL', 'analytics:read']),
      },
      meta: { requestId: answer.headers.get('x-request-id'), timestamp: expect.any(String) as string },
    });
  });

  it('lists every permission as it was set, so implied ones stay NO', async () => {
    const { permissions } = (await read(await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] }))).body.scope;
    expect(Object.keys(permissions)).toEqual([...PERMISSION_NAMES]);
    expect(permissions).toMatchObject({
      API_SCOPE_KEY_FULL: 'YES',
      API_SCOPE_KEY_EDIT: 'NO',
      API_SCOPE_KEY_VIEW: 'NO',
    });
  });

  it('is possible for other scopes of the app', async () => {
    const tenant = await makeTenant(service);
    const { scopeId } = await makeKeyWith(service, tenant, ['RUN_API']);
    expect((await tenant.api.get(scopePath(tenant.appId, scopeId))).outcome).toBe('200');
  });
});

describe('changing a scope', () => {
  it('sets the named permissions, leaves the others, and answers as reading does', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL', 'RUN_API', 'APP_VIEW'] });
    const answer = await change(tenant, { RUN_API: 'NO', SESSIONS_LIST: 'YES', APP_VIEW: 'YES' });
    expect(answer.outcome).toBe('200');
    expect(Object.keys(answer.body).sort()).toEqual(['meta', 'scope', 'success']);
    expect(answer.body.scope.permissions).toEqual(toPermissionMap(['API_SCOPE_KEY_FULL', 'SESSIONS_LIST', 'APP_VIEW']));
    expect((await read(tenant)).body.scope).toEqual(answer.body.scope);
  });

  it('changes nothing if no permission is named', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] });
    expect((await change(tenant, {})).body.scope.permissions).toEqual(toPermissionMap(['API_SCOPE_KEY_FULL']));
  });

  it('keeps permissions that this process does not know, such as those of a plugin', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'], ceiling: ['API_SCOPE_KEY_FULL'] });
    const unknown = ['KNOWLEDGE_WRITE'];
    const { database } = service;
    await database.rows('update scope set granted = granted || $2, ceiling = ceiling || $2 where id = $1', [
      tenant.scopeId,
      unknown,
    ]);
    const path = `/api/admin/v1/apps/${tenant.appId}/scopes/${tenant.scopeId}`;
    const ceiling = { API_SCOPE_KEY_FULL: 'YES', RUN_API: 'YES' };
    expect((await administratorOf(service).patch(path, { permissions: { RUN_API: 'YES' }, ceiling })).outcome).toBe(
      '200',
    );
    const [stored] = await database.rows('select granted, ceiling from scope where id = $1', [tenant.scopeId]);
    const kept = expect.arrayContaining([...Object.keys(ceiling), ...unknown]) as string[];
    expect(stored).toEqual({ granted: kept, ceiling: kept });
  });

  it('never stores implied permissions', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] });
    const { permissions } = (await change(tenant, { CONNECTIONS_MANAGE: 'YES', AGENTS_FULL: 'YES' })).body.scope;
    expect(permissions).toEqual(toPermissionMap(['API_SCOPE_KEY_FULL', 'CONNECTIONS_MANAGE', 'AGENTS_FULL']));
  });

  it('takes effect for every key of the scope from the next request on', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] });
    const other = await makeKey(service, tenant.appId, tenant.scopeName);
    await change(tenant, { API_SCOPE_KEY_FULL: 'NO', RUN_API: 'YES' });
    for (const { api } of [tenant, other]) {
      const answer = await api.get<Refused>(scopePath(tenant.appId, tenant.scopeId));
      expect(answer.outcome).toBe('403 PERMISSION_DENIED');
      expect(answer.body.required).toEqual(['API_SCOPE_KEY_FULL']);
    }
  });

  it('is refused for a key of another scope', async () => {
    const tenant = await makeTenant(service);
    const { scopeId } = await makeKeyWith(service, tenant, ['RUN_API']);
    const answer = await tenant.api.put(scopePath(tenant.appId, scopeId), { permissions: { RUN_API: 'NO' } });
    expect(answer.outcome).toBe('403 SCOPE_MISMATCH');
    expect((await read({ ...tenant, scopeId })).body.scope.permissions.RUN_API).toBe('YES');
  });

  it('reports every unknown permission and every value except YES and NO', async () => {
    const tenant = await makeTenant(service);
    const faulty = {
      NOPE: 'YES',
      run_api: 'YES',
      RUN_API: 'MAYBE',
      APP_VIEW: true,
      APP_EDIT: 'yes',
      AGENTS_VIEW: null,
    };
    const answer = await change(tenant, { ...faulty, SESSIONS_LIST: 'NO' });
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    const { issues } = (answer.body as unknown as Refused).error.details as { issues: { path: string }[] };
    const named = Object.keys(faulty).map((name) => `permissions.${name}`);
    expect(issues.map(({ path }) => path).sort()).toEqual(named.sort());
    expect((await read(tenant)).body.scope.permissions.SESSIONS_LIST).toBe('YES');
  });

  it.each([undefined, null, [], 'YES', { API_SCOPE_KEY_FULL: ['YES'] }])(
    'refuses the permissions %j',
    async (permissions) => {
      const answer = await change(await makeTenant(service), permissions);
      expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    },
  );

  it('loses none of many simultaneous changes', async () => {
    const tenant = await makeTenant(service, { permissions: ['API_SCOPE_KEY_FULL'] });
    const others = PERMISSION_NAMES.filter((name) => name !== 'API_SCOPE_KEY_FULL');
    const answers = await Promise.all(others.map((name) => change(tenant, { [name]: 'YES' })));
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['200']));
    expect((await read(tenant)).body.scope.permissions).toEqual(toPermissionMap(PERMISSION_NAMES));
  });
});

describe('what a permission implies', () => {
  it.each<[Permission, Permission[]]>([
    ['APP_FULL', ['APP_VIEW', 'APP_EDIT', 'APP_FULL', 'DOCK_MANAGE']],
    ['API_SCOPE_KEY_EDIT', ['API_SCOPE_KEY_VIEW', 'API_SCOPE_KEY_EDIT']],
    ['CONNECTIONS_MANAGE', ['CONNECTIONS_VIEW', 'CONNECTIONS_MANAGE']],
    ['analytics:write', ['analytics:write']],
  ])('counts when %s is asked for', async (granted, allowed) => {
    const { api } = await makeTenant(service, { permissions: [granted] });
    expect((await api.get(ME)).body).toMatchObject({ permissions: toPermissionMap([granted]), allowed });
  });

  it.each<Permission>(['API_SCOPE_KEY_VIEW', 'API_SCOPE_KEY_EDIT', 'APP_FULL'])(
    'does not make %s do for managing keys',
    async (permission) => {
      expect((await read(await makeTenant(service, { permissions: [permission] }))).outcome).toBe(
        '403 PERMISSION_DENIED',
      );
    },
  );
});
