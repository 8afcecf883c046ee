import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/kernel/ids.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { startProvider } from '../agents/identity-provider.js';
import { Visitor } from '../agents/visitor.js';
import { makeConnection } from '../connections/make.js';
import { administratorOf, makeTenant, uniqueName } from '../support/actors.js';
import { Client } from '../support/client.js';
import { browserOf } from '../support/console.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { randomSecret, redisDatabase } from '../support/settings.js';
import {
  BEGIN,
  codeOn,
  comeFromProvider,
  CALLBACK,
  goToProvider,
  oidcSettings,
  personInConsole,
  signInPerson,
} from './oidc.js';

const GROUPS: Record<string, unknown> = {
  olivia: ['cn=owners', 'everyone'],
  oscar: ['everyone', 'desk'],
  audrey: 'auditors',
  victor: ['everyone', 7],
  violet: 'everyone',
  stranger: ['others'],
};
/** Some providers send texts. */
const UNVERIFIED: Record<string, unknown> = { victor: false, violet: 'false' };
const claimsOf = (login: string) => ({
  email: `${login}@example.com`,
  email_verified: UNVERIFIED[login] ?? true,
  preferred_username: login,
  groups: GROUPS[login],
});
const idp = await startProvider({ redirectPath: CALLBACK, claimsOf, claimsInToken: false });
const service = await startService(oidcSettings(idp.issuer));
const { url } = service;
const admin = administratorOf(service);
afterAll(async () => {
  await service.stop();
  idp.stop();
});

const SESSIONS = '/api/admin/v1/console-sessions';
const PROJECTS = '/api/admin/v1/projects';
const currentOf = async (cookie: string) =>
  (await new Client(url, { cookie }).get<{ data: unknown }>(`${SESSIONS}/current`)).body.data;

it('says that administrators can sign in with OpenID Connect', async () => {
  expect((await new Client(url).get('/api/admin/v1/console-sign-in')).body).toMatchObject({
    data: { identities: [{ name: 'oidc', title: 'OpenID Connect' }] },
  });
});

it('signs in a person with a cookie that scripts cannot read, and leads to the console', async () => {
  const { seen, visitor } = await signInPerson(url, 'olivia');
  expect(seen.status).toBe(200);
  expect(seen.html).toContain('content="0;url=/console/#signed-in"');
  const [session, flow] = seen.headers.getSetCookie();
  expect(session).toMatch(/^slipway-console-[\w-]{8}=\w{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
  expect(flow).toMatch(/^slipway-sign-in-[\w-]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  expect(await currentOf(visitor.cookie)).toMatchObject({
    actorId: 'oidc:olivia',
    name: 'olivia@example.com',
    role: 'owner',
  });
});

it.each([
  ['oscar', 'oscar@example.com', 'operator'],
  ['audrey', 'audrey@example.com', 'auditor'],
  ['victor', 'victor', 'viewer'],
  ['violet', 'violet', 'viewer'],
])('%s has the strongest role of the groups, and a name that is verified', async (login, name, role) => {
  expect(await personInConsole(url, login)).toMatchObject({ name, role });
});

it('refuses people whose groups have no role', async () => {
  const { seen, visitor } = await signInPerson(url, 'stranger');
  expect([seen.status, codeOn(seen)]).toEqual([403, 'CONSOLE_SIGN_IN_NO_ROLE']);
  expect(seen.html).toContain('href="/console/"');
  expect(await currentOf(visitor.cookie)).toBeNull();
});

it('refuses whom the provider refuses', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  back.searchParams.delete('code');
  back.searchParams.set('error', 'access_denied');
  const seen = await visitor.open(back.href);
  expect([seen.status, codeOn(seen)]).toEqual([403, 'CONSOLE_SIGN_IN_REFUSED']);
});

it('refuses another state, another browser, and an address that was used', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  const wrong = new URL(back);
  wrong.searchParams.set('state', 'another');
  for (const [who, address] of [
    [visitor, wrong],
    [new Visitor(), back],
  ] as const) {
    const seen = await who.open(address.href);
    expect([seen.status, codeOn(seen)]).toEqual([400, 'CONSOLE_SIGN_IN_NOT_FOUND']);
  }
  const { cookie } = visitor;
  expect((await visitor.open(back.href)).status).toBe(200);
  expect(codeOn(await visitor.open(back.href))).toBe('CONSOLE_SIGN_IN_NOT_FOUND');
  const again = await new Client(url, { cookie }).get(back.pathname + back.search);
  expect(again.outcome).toBe('400 CONSOLE_SIGN_IN_NOT_FOUND');
});

it('refuses another issuer, and a token for another sign-in', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  back.searchParams.set('iss', 'https://another.example.com');
  expect(codeOn(await visitor.open(back.href))).toBe('CONSOLE_SIGN_IN_FAILED');
  const second = await goToProvider(url);
  const address = new URL(second.address);
  address.searchParams.set('nonce', 'another');
  const seen = await second.visitor.open(await second.visitor.signIn(address.href, url, 'olivia'));
  expect([seen.status, codeOn(seen)]).toEqual([502, 'CONSOLE_SIGN_IN_FAILED']);
});

it('refuses a token that the provider has not signed', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  const outbound = service.app.get(Outbound);
  const fetched = outbound.fetch.bind(outbound);
  outbound.fetch = async (address, ...others) => {
    const answer = await fetched(address, ...others);
    if (!address.endsWith('/token')) return answer;
    const tokens = (await answer.json()) as { id_token: string };
    const idToken = tokens.id_token.replace(/\.[^.]+$/, `.${'A'.repeat(342)}`);
    return Response.json({ ...tokens, id_token: idToken });
  };
  try {
    expect(codeOn(await visitor.open(back.href))).toBe('CONSOLE_SIGN_IN_FAILED');
  } finally {
    outbound.fetch = fetched;
  }
});

it.each([
  ['CONSOLE_OIDC_ROLES', undefined, 'CONSOLE_OIDC_ROLES is missing. CONSOLE_OIDC_ISSUER needs it.'],
  ['CONSOLE_OIDC_CLIENT_ID', undefined, 'CONSOLE_OIDC_CLIENT_ID is missing. CONSOLE_OIDC_ISSUER needs it.'],
  ['CONSOLE_OIDC_ROLES', 'desk=root', 'gives desk no role that exists'],
  ['CONSOLE_OIDC_ROLES', 'desk', 'must be groups and roles'],
  ['CONSOLE_OIDC_ROLES', 'desk=viewer@shop', 'shop is not the id of a project'],
  ['CONSOLE_OIDC_ROLES', `desk=viewer@${newId('project')}@owner`, '@owner is not the id of a project'],
  ['CONSOLE_OIDC_SCOPES', 'profile', 'must contain openid'],
])('does not start if %s is %s', (name, value, reason) => {
  const { [name]: _, ...settings } = service.settings;
  expect(() => readSettings({ ...settings, ...(value !== undefined && { [name]: value }) })).toThrow(reason);
});

it('records who acted, and finds it by the actor', async () => {
  const browser = browserOf(url, await personInConsole(url, 'oscar'));
  expect((await browser.post(PROJECTS, { name: uniqueName('project') })).outcome).toBe('201');
  const { body } = await admin.get('/api/admin/v1/audit', { query: { actor: 'oidc:oscar', kind: 'project' } });
  expect(body).toMatchObject({ data: [{ actor: { actorId: 'oidc:oscar', label: 'oscar@example.com' } }] });
});

it('records who acted in an app under the same actor', async () => {
  const tenant = await makeTenant(service);
  const api = browserOf(url, await personInConsole(url, 'oscar'), tenant.appId);
  const { connectionId } = await makeConnection({ ...tenant, api });
  const { body } = await admin.get('/api/admin/v1/audit', { query: { actor: 'oidc:oscar', targetId: connectionId } });
  expect(body).toMatchObject({ data: [{ actor: { label: 'oscar@example.com in the console' } }] });
});

it('gives each person idempotency keys of their own', async () => {
  const [olivia, oscar] = [await personInConsole(url, 'olivia'), await personInConsole(url, 'oscar')];
  const body = { name: uniqueName('project') };
  const headers = { 'idempotency-key': randomSecret() };
  const [first, repeated] = [
    await browserOf(url, olivia).post(PROJECTS, body, { headers }),
    await browserOf(url, olivia).post(PROJECTS, body, { headers }),
  ];
  expect(repeated.body).toMatchObject({ data: (first.body as { data: object }).data });
  const other = await browserOf(url, oscar).post(PROJECTS, { name: uniqueName('project') }, { headers });
  expect(other.outcome).toBe('201');
  expect(other.body).not.toMatchObject({ data: (first.body as { data: object }).data });
});

it('lets a person end the own sessions, and only owners those of others', async () => {
  const [oscar, again, audrey] = [
    await personInConsole(url, 'oscar'),
    await personInConsole(url, 'oscar'),
    await personInConsole(url, 'audrey'),
  ];
  const end = async (who: typeof oscar, { consoleSessionId }: typeof oscar) =>
    (await browserOf(url, who).delete(`${SESSIONS}/${consoleSessionId}`)).outcome;
  expect(await end(audrey, oscar)).toBe('403 PERMISSION_DENIED');
  expect(await end(oscar, again)).toBe('200');
  expect(await end(oscar, oscar)).toBe('200');
  expect((await browserOf(url, oscar).get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
  expect(await end(await personInConsole(url, 'olivia'), audrey)).toBe('200');
});

it('knows people in the rows of the release before, which have no identity', async () => {
  const oscar = await personInConsole(url, 'oscar');
  const { consoleSessionId } = oscar;
  await service.database.rows('update console_session set identity = null where id = $1', [consoleSessionId]);
  const browser = browserOf(url, oscar);
  expect((await browser.get(PROJECTS)).outcome).toBe('200');
  expect(
    (await browserOf(url, await personInConsole(url, 'oscar')).delete(`${SESSIONS}/${consoleSessionId}`)).outcome,
  ).toBe('200');
  expect((await browser.get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
});

it('ends sessions with a change of the settings', async () => {
  const signedIn = await personInConsole(url, 'olivia');
  const outcomeWith = async (changes: Record<string, string>) => {
    const other = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'api', ...changes });
    try {
      return (await browserOf(other.url, signedIn).get(PROJECTS)).outcome;
    } finally {
      await other.stop();
    }
  };
  expect(await outcomeWith({})).toBe('200');
  expect(await outcomeWith({ CONSOLE_OIDC_ROLES: 'everyone=viewer' })).toBe('401 API_KEY_MISSING');
  expect(await outcomeWith({ CONSOLE_OIDC_ISSUER: '' })).toBe('401 API_KEY_MISSING');
});

it('counts sign-ins by address, and refuses too many', async () => {
  const limited = await startProcess({ ...service.settings, RATE_LIMIT_SIGN_IN: '2', REDIS_URL: redisDatabase(12) });
  try {
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await new Visitor().open(limited.url + BEGIN)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await new Visitor().open(limited.url + CALLBACK);
    expect([refused.status, codeOn(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await limited.stop();
  }
});

it.each(['javascript:alert(1)', 'ftp://127.0.0.1/', undefined])('goes to no provider at %s', async (endpoint) => {
  const answer = (issuer: string) => JSON.stringify({ issuer, authorization_endpoint: endpoint });
  const odd = createServer(({ headers }, response) => {
    response.setHeader('content-type', 'application/json').end(answer(`http://${headers.host}`));
  }).listen(0, '127.0.0.1');
  await once(odd, 'listening');
  const issuer = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
  const other = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'api', CONSOLE_OIDC_ISSUER: issuer });
  try {
    const seen = await new Visitor().open(other.url + BEGIN);
    expect([seen.status, codeOn(seen)]).toEqual([502, 'CONSOLE_SIGN_IN_FAILED']);
  } finally {
    odd.close();
    await other.stop();
  }
});

it('names all that the settings lack at once', async () => {
  const { CONSOLE_OIDC_ROLES: _, CONSOLE_OIDC_CLIENT_ID: __, ...settings } = service.settings;
  const started = startProcess({ ...settings, JOBS: 'sometimes' });
  await expect(started).rejects.toThrow(/JOBS [^]*CONSOLE_OIDC_CLIENT_ID is missing[^]*CONSOLE_OIDC_ROLES is missing/);
});

it('refuses while the provider is away', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  idp.stop();
  const seen = await visitor.open(back.href);
  expect([seen.status, codeOn(seen)]).toEqual([502, 'CONSOLE_SIGN_IN_FAILED']);
});
