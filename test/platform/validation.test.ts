import { administratorOf, makeTenant } from '../support/actors.js';
import type { Answer, Refused } from '../support/client.js';
import { startService } from '../support/service.js';

/** These tests check the sentences that tell people what is wrong with their requests. */
const service = await startService();
const admin = administratorOf(service);
const { api, appId, keyId, scopeId, scopeName } = await makeTenant(service);
afterAll(() => service.stop());

const ACCESS = `/aaa/api/public/apps/${appId}`;

function messagesIn({ body }: Answer): Record<string, string> {
  const issues = (body as Refused).error.details?.issues as { path: string; message: string }[];
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}

it.each<[unknown, string]>([
  [undefined, 'is required'],
  [7, 'must be a text'],
  [null, 'must be a text'],
  [{}, 'must be a text'],
  [['x'], 'must be a text; a list, or the same name twice, was given'],
  ['', 'must have at least 1 character'],
  ['x'.repeat(129), 'must have at most 128 characters'],
  ['a\u0007b', 'has characters that cannot be seen; take them out'],
  ['ad\u200bmin', 'has characters that cannot be seen; take them out'],
  [
    'sw_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq',
    'contains something that looks like an API key; take it out',
  ],
  ['gnp.\u202exe', 'has characters that cannot be seen; take them out'],
])('reports that the name %j %s', async (name, message) => {
  expect(messagesIn(await admin.post('/api/admin/v1/projects', { name }))).toEqual({ name: message });
});

it.each<[unknown, string]>([
  ['60', 'must be a number'],
  [1.5, 'must be a whole number'],
  [-1, 'must be at least 0'],
  [2_592_001, 'must be at most 2592000'],
])('reports that the number %j %s', async (grace_seconds, message) => {
  const answer = await api.post(`${ACCESS}/apikeys/${keyId}/rotate`, { grace_seconds });
  expect(messagesIn(answer)).toEqual({ grace_seconds: message });
});

it.each<[string | string[], string]>([
  ['many', 'must be a whole number'],
  ['1.5', 'must be a whole number'],
  ['-1', 'must be at least 1'],
  ['05', 'must be a whole number'],
  ['0', 'must be at least 1'],
  [['1', '2'], 'must be a number; a list, or the same name twice, was given'],
])('reports that the parameter %j %s', async (limit, message) => {
  expect(messagesIn(await admin.get('/api/admin/v1/projects', { query: { limit } }))).toEqual({ limit: message });
});

it.each<[unknown, string]>([
  [undefined, 'is required'],
  [7, 'matches none of the forms that the document of the API describes'],
])('reports that scopes %j, which may be a text or a list, %s', async (scopes, message) => {
  const profile = {
    idpName: 'Login',
    authorizationUrl: 'https://login.example.com/authorize',
    tokenUrl: 'https://login.example.com/token',
    clientId: 'slipway',
    clientSecret: 'a canary of a client secret',
    sso_type: 'oauth2',
    scopes,
  };
  const answer = await admin.post(`/api/admin/v1/apps/${appId}/auth-profiles`, profile);
  expect(messagesIn(answer)).toEqual({ scopes: message });
});

it('says which values a member may have, and which members are unknown', async () => {
  const permissions = { RUN_API: 'MAYBE', NOPE: 'YES' };
  expect(messagesIn(await api.put(`${ACCESS}/scopes/${scopeId}`, { permissions, colour: 1 }))).toEqual({
    'permissions.RUN_API': 'must be one of YES, NO',
    'permissions.NOPE': 'is not known; take it out',
    colour: 'is not known; take it out',
  });
  expect(messagesIn(await api.put(`${ACCESS}/scopes/${scopeId}`, { permissions: 'all' }))).toEqual({
    permissions: 'must be an object',
  });
});

it.each([
  ['soon', 'must be a date and time with offset, such as 2026-11-21T09:30:00Z'],
  ['2020-01-01T00:00:00Z', 'must be in the future'],
])('reports that the time %s %s', async (expires_at, message) => {
  const answer = await api.post(`${ACCESS}/apikeys/create`, { scope_name: scopeName, api_key_name: 'x', expires_at });
  expect(messagesIn(answer)).toEqual({ expires_at: message });
});
