import { administratorOf, makeKey, makeKeyWith, uniqueName } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { signInToConsole } from '../support/console.js';
import type { Samples, World } from '../support/samples.js';
import { comeFromProvider } from './oidc.js';
import { urlWithOidc } from './oidc-process.js';

export const samples: Samples = {
  'POST /aaa/api/public/apps/{appId}/apikeys/create': ({ tenant: { appId, scopeName } }) => ({
    params: { appId },
    body: { scope_name: scopeName, api_key_name: uniqueName('key') },
  }),
  'POST /aaa/api/public/apps/{appId}/apikeys/{keyId}/rotate': async (world) => ({
    params: await anotherKey(world),
    body: { grace_seconds: 60 },
  }),
  'DELETE /aaa/api/public/apps/{appId}/apikeys/{keyId}': async (world) => ({ params: await anotherKey(world) }),
  'GET /aaa/api/public/apps/{appId}/scopes/{scopeId}': ({ tenant: { appId, scopeId } }) => ({
    params: { appId, scopeId },
  }),
  'PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}': ({ tenant: { appId, scopeId } }) => ({
    params: { appId, scopeId },
    body: { permissions: { APP_VIEW: 'NO' } },
  }),
  'GET /api/public/me': () => ({}),

  'GET /api/admin/v1/permissions': () => ({}),
  'POST /api/admin/v1/apps/{appId}/scopes': ({ tenant: { appId } }) => ({
    params: { appId },
    body: { scopeName: uniqueName('scope'), description: 'For tests', permissions: { RUN_API: 'YES' } },
  }),
  'GET /api/admin/v1/apps/{appId}/scopes': ({ tenant: { appId } }) => ({ params: { appId }, query: { limit: '1' } }),
  'GET /api/admin/v1/apps/{appId}/scopes/{scopeId}': ({ tenant: { appId, scopeId } }) => ({
    params: { appId, scopeId },
  }),
  'PATCH /api/admin/v1/apps/{appId}/scopes/{scopeId}': ({ tenant: { appId, scopeId } }) => ({
    params: { appId, scopeId },
    body: { description: 'Changed', ceiling: null },
  }),
  'DELETE /api/admin/v1/apps/{appId}/scopes/{scopeId}': async ({ service, tenant }) => {
    const { scopeId } = await makeKeyWith(service, tenant, ['RUN_API']);
    return { params: { appId: tenant.appId, scopeId } };
  },

  'POST /api/admin/v1/apps/{appId}/apikeys': ({ tenant: { appId, scopeName } }) => ({
    params: { appId },
    body: { scopeName, apiKeyName: uniqueName('key') },
  }),
  'GET /api/admin/v1/apps/{appId}/apikeys': ({ tenant: { appId } }) => ({ params: { appId } }),
  'GET /api/admin/v1/apps/{appId}/apikeys/{keyId}': async (world) => ({ params: await anotherKey(world) }),
  'PATCH /api/admin/v1/apps/{appId}/apikeys/{keyId}': async (world) => ({
    params: await anotherKey(world),
    body: { apiKeyName: uniqueName('key') },
  }),
  'POST /api/admin/v1/apps/{appId}/apikeys/{keyId}/rotate': async (world) => ({
    params: await anotherKey(world),
    body: { graceSeconds: 60 },
  }),
  'DELETE /api/admin/v1/apps/{appId}/apikeys/{keyId}': async (world) => ({ params: await anotherKey(world) }),

  'POST /api/admin/v1/admin-keys': () => ({ body: { name: uniqueName('administrator') } }),
  'GET /api/admin/v1/admin-keys': () => ({}),
  'GET /api/admin/v1/admin-keys/{adminKeyId}': async (world) => ({ params: await anAdminKey(world) }),
  'PATCH /api/admin/v1/admin-keys/{adminKeyId}': async (world) => ({
    params: await anAdminKey(world),
    body: { name: uniqueName('administrator') },
  }),
  'DELETE /api/admin/v1/admin-keys/{adminKeyId}': async (world) => ({ params: await anAdminKey(world) }),

  'POST /api/admin/v1/console-sessions': () => ({}),
  'GET /api/admin/v1/console-sessions': () => ({}),
  'GET /api/admin/v1/console-sessions/current': async ({ service }) => {
    const { cookie } = await signInToConsole(administratorOf(service));
    return { headers: { cookie } };
  },
  'DELETE /api/admin/v1/console-sessions/{consoleSessionId}': async ({ service }) => {
    const { consoleSessionId } = await signInToConsole(administratorOf(service));
    return { params: { consoleSessionId } };
  },

  'GET /api/admin/v1/console-sign-in': () => ({}),
  'GET /api/admin/v1/console-sign-in/{identity}': async ({ service }: World) => ({
    params: { identity: 'oidc' },
    processUrl: await urlWithOidc(service),
  }),
  'GET /api/admin/v1/console-sign-in/{identity}/callback': async ({ service }: World) => {
    const processUrl = await urlWithOidc(service);
    const { visitor, back } = await comeFromProvider(processUrl, 'ada');
    const query = Object.fromEntries(back.searchParams);
    return { params: { identity: 'oidc' }, processUrl, query, headers: { cookie: visitor.cookie } };
  },
};

/** Makes another key of the tenant's scope, beside the one that sends the request. */
async function anotherKey({ service, tenant: { appId, scopeName } }: World): Promise<{ appId: string; keyId: string }> {
  const { keyId } = await makeKey(service, appId, scopeName);
  return { appId, keyId };
}

async function anAdminKey({ service }: World): Promise<{ adminKeyId: string }> {
  const { adminKeyId } = await makeAdminKey(service);
  return { adminKeyId };
}
