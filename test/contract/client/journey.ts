import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** A program that was written with nothing but the document. client.test.ts compiles and runs it. */
const { SLIPWAY_URL: baseUrl = '', SLIPWAY_ADMIN_KEY: adminKey = '' } = process.env;

const admin = createClient<paths>({ baseUrl, headers: { 'x-api-key': adminKey } });

function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const body = { name: 'Written against the document' };
const { projectId } = dataOf(await admin.POST('/api/admin/v1/projects', { body })).data;
const { appId } = dataOf(
  await admin.POST('/api/admin/v1/projects/{projectId}/apps', { params: { path: { projectId } }, body }),
).data;
const { scopeName } = dataOf(
  await admin.POST('/api/admin/v1/apps/{appId}/scopes', {
    params: { path: { appId } },
    body: {
      scopeName: 'all',
      permissions: {
        RUN_API: 'YES',
        CONNECTIONS_MANAGE: 'YES',
        'analytics:read': 'YES',
        'analytics:write': 'YES',
        SESSION_CREATION: 'YES',
        SESSIONS_LIST: 'YES',
        SESSION_TERMINATION: 'YES',
        HTTP_ASYNC_SEND: 'YES',
      },
    },
  }),
).data;
const { apikey } = dataOf(
  await admin.POST('/api/admin/v1/apps/{appId}/apikeys', {
    params: { path: { appId } },
    body: { scopeName, apiKeyName: 'journey' },
  }),
).data;

const { agentId } = dataOf(
  await admin.POST('/api/admin/v1/apps/{appId}/agents', {
    params: { path: { appId } },
    body: { name: 'Agent', instructions: 'Be kind.' },
  }),
).data;
dataOf(
  await admin.PUT('/api/admin/v1/apps/{appId}/environments/{envName}', {
    params: { path: { appId, envName: 'production' } },
    body: { agentId, active: true },
  }),
);
const { subscriptionId } = dataOf(
  await admin.POST('/api/admin/v1/projects/{projectId}/webhook-subscriptions', {
    params: { path: { projectId } },
    body: { displayName: 'Ours', callbackUrl: 'http://127.0.0.1:9/', events: ['agent.response'], appId },
  }),
).data;

// The second type chooses the JSON answer of routes that can also stream.
const client = createClient<paths, 'application/json'>({ baseUrl, headers: { 'x-api-key': apikey } });

const me = dataOf(await client.GET('/api/public/me'));
const place = { params: { path: { appId, envName: 'production' as const } } };
const sessionIdentity = [{ type: 'sessionReference' as const, value: 'order-4711' }];
const opened = dataOf(
  await client.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', { ...place, body: { sessionIdentity } }),
);
const run = dataOf(
  await client.POST('/api/v2/apps/{appId}/environments/{envName}/runs', {
    ...place,
    body: { sessionIdentity, input: 'Where is my order?' },
  }),
);
const message = dataOf(
  await client.POST('/api/v1/channels/http-async/message', {
    body: { project_id: projectId, subscription_id: subscriptionId, session_key: 'customer-42', message: 'Hello' },
  }),
);
const listed = dataOf(
  await client.POST('/api/public/apps/{appId}/sessions/list', { params: { path: { appId } }, body: {} }),
);
const ended = dataOf(
  await client.POST('/api/v2/apps/{appId}/environments/{envName}/sessions/terminate', {
    ...place,
    body: { sessionIdentity },
  }),
);
const connection = dataOf(
  await client.POST('/api/public/connections', {
    body: { provider: 'Vendor1', connectionName: 'ours', model: 'gpt-4o', fields: { API_KEY: 'sk-of-nobody' } },
  }),
);
const completion = dataOf(
  await client.POST('/api/public/llm/v1/chat/completions', {
    body: { model: 'mock', messages: [{ role: 'user', content: 'Hello' }] },
  }),
);
const day = 86_400_000;
const query = {
  fromDate: new Date(Date.now() - day).toISOString(),
  toDate: new Date(Date.now() + day).toISOString(),
};
const ledger = dataOf(
  await client.GET('/api/public/analytics/projects/{projectId}/llm-ledger', {
    params: { path: { projectId }, query },
  }),
);
const refused = await client.GET('/api/public/connections/{connectionId}', {
  params: { path: { connectionId: 'cn-nothing' } },
});

console.log(
  JSON.stringify({
    me: me.key_name,
    opened: 'session' in opened && opened.session.sessionReference,
    answered: [run.status, run.output.length],
    message: message.status,
    sessions: listed.total_count > 0,
    ended: ended.status,
    connection: connection.status,
    said: typeof completion.choices[0]?.message.content,
    models: [...new Set(ledger.generations.map(({ model }) => model))],
    refused: refused.error?.error.code,
  }),
);
