import { newId } from '../../src/kernel/ids.js';
import { administratorOf, makeKeyWith, makeScope } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { eventually } from '../support/eventually.js';
import type { Refusals, World } from '../support/samples.js';
import { BEGIN, CALLBACK, comeFromProvider } from './oidc.js';
import { urlWithOidc } from './oidc-process.js';

export const refusals: Refusals = {
  SCOPE_NOT_FOUND: ({ tenant: { api, appId } }) => api.get(`/aaa/api/public/apps/${appId}/scopes/${newId('scope')}`),
  API_KEY_NOT_FOUND: ({ tenant: { api, appId } }) =>
    api.delete(`/aaa/api/public/apps/${appId}/apikeys/${newId('apiKey')}`),
  ADMIN_KEY_NOT_FOUND: ({ service }) =>
    administratorOf(service).delete(`/api/admin/v1/admin-keys/${newId('adminKey')}`),
  CONSOLE_NEEDS_KEY: async ({ service }) =>
    browserOf(service.url, await signInToConsole(administratorOf(service))).post('/api/admin/v1/console-sessions'),
  CONSOLE_SESSION_NOT_FOUND: ({ service }) =>
    administratorOf(service).delete(`/api/admin/v1/console-sessions/${newId('consoleSession')}`),
  CONSOLE_SIGN_IN_OFF: ({ service }) => new Client(service.url).get(BEGIN),
  CONSOLE_SIGN_IN_NOT_FOUND: async ({ service }) =>
    new Client(await urlWithOidc(service)).get(CALLBACK, { query: { state: 'never', code: 'given' } }),
  CONSOLE_SIGN_IN_REFUSED: (world) => comeBack(world, 'ada', { error: 'access_denied' }),
  CONSOLE_SIGN_IN_NO_ROLE: (world) => comeBack(world, 'stranger'),
  CONSOLE_SIGN_IN_FAILED: (world) => comeBack(world, 'ada', { iss: 'https://another.example.com' }),
  SCOPE_MISMATCH: async ({ service, tenant: { api, appId } }) => {
    const { scopeId } = await makeScope(service, appId);
    return api.put(`/aaa/api/public/apps/${appId}/scopes/${scopeId}`, { permissions: {} });
  },
  PERMISSION_CEILING: async ({ service, tenant }) => {
    const { api, scopeId } = await makeKeyWith(service, tenant, ['API_SCOPE_KEY_FULL'], ['API_SCOPE_KEY_FULL']);
    return api.put(`/aaa/api/public/apps/${tenant.appId}/scopes/${scopeId}`, { permissions: { RUN_API: 'YES' } });
  },
  DUPLICATE_API_KEY_NAME: async (world) => {
    await createKey(world, 'server');
    return createKey(world, 'server');
  },
  API_KEY_LIMIT_REACHED: async (world) => {
    let made = 0;
    return eventually(
      () => createKey(world, `server ${(made += 1)}`),
      ({ status }) => status !== 201,
    );
  },
  DUPLICATE_SCOPE_NAME: ({ service, tenant: { appId, scopeName } }) =>
    administratorOf(service).post(`/api/admin/v1/apps/${appId}/scopes`, { scopeName, permissions: {} }),
  DUPLICATE_ADMIN_KEY_NAME: async ({ service }) => {
    const { name } = await makeAdminKey(service);
    return administratorOf(service).post('/api/admin/v1/admin-keys', { name });
  },
};

async function comeBack({ service }: World, login: string, changes: Record<string, string> = {}): Promise<Answer> {
  const url = await urlWithOidc(service);
  const { visitor, back } = await comeFromProvider(url, login);
  const query = { ...Object.fromEntries(back.searchParams), ...changes };
  return new Client(url, { cookie: visitor.cookie }).get(CALLBACK, { query });
}

function createKey({ tenant: { api, appId, scopeName } }: World, name: string): Promise<Answer> {
  const body = { scope_name: scopeName, api_key_name: name };
  return api.post(`/aaa/api/public/apps/${appId}/apikeys/create`, body);
}
