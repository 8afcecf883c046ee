import { startProvider } from '../agents/identity-provider.js';
import { Visitor } from '../agents/visitor.js';
import { administratorOf, uniqueName } from '../support/actors.js';
import { Client } from '../support/client.js';
import { browserOf } from '../support/console.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { randomSecret } from '../support/settings.js';
import {
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
  stranger: ['others'],
};
const claimsOf = (login: string) => ({
  email: `${login}@example.com`,
  email_verified: login !== 'victor',
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
  expect((await new Client(url).get('/api/admin/v1/console-sign-in')).body).toMatchObject({ data: { oidc: true } });
});

it('signs in a person with a cookie that scripts cannot read, and leads to the console', async () => {
  const { seen, visitor } = await signInPerson(url, 'olivia');
  expect(seen.status).toBe(200);
  expect(seen.html).toContain('content="0;url=/console/#signed-in"');
  const [session, flow] = seen.headers.getSetCookie();
  expect(session).toMatch(/^slipway-console-[\w-]{8}=\w{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
  expect(flow).toMatch(/^slipway-sign-in-[\w-]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  expect(await currentOf(visitor.cookie)).toMatchObject({ name: 'olivia@example.com', role: 'owner' });
});

it.each([
  ['oscar', 'oscar@example.com', 'operator'],
  ['audrey', 'audrey@example.com', 'auditor'],
  ['victor', 'victor', 'viewer'],
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
  expect(again.outcome).toBe('502 CONSOLE_SIGN_IN_FAILED');
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

it('records who acted, and finds it by the actor', async () => {
  const browser = browserOf(url, await personInConsole(url, 'oscar'));
  expect((await browser.post(PROJECTS, { name: uniqueName('project') })).outcome).toBe('201');
  const { body } = await admin.get('/api/admin/v1/audit', { query: { actor: 'oidc:oscar', kind: 'project' } });
  expect(body).toMatchObject({ data: [{ actor: { actorId: 'oidc:oscar', label: 'oscar@example.com' } }] });
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

it('refuses while the provider is away', async () => {
  const { visitor, back } = await comeFromProvider(url, 'olivia');
  idp.stop();
  const seen = await visitor.open(back.href);
  expect([seen.status, codeOn(seen)]).toEqual([502, 'CONSOLE_SIGN_IN_FAILED']);
});
