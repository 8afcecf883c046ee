import { administratorOf, makeTenant } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { randomSecret } from '../support/settings.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const PATH = '/api/admin/v1/console-sessions';
const PROJECTS = '/api/admin/v1/projects';
const sessionsOf = ({ appId }: { appId: string }) => `/api/public/apps/${appId}/sessions/list`;
const MODELS = '/api/public/llm/v1/models';
const EVERYWHERE = { env_name: 'production' };

/** Returns a cookie of the same name, with a secret of the right form that is none. */
const anotherCookie = (cookie: string, letter: string) => cookie.replace(/=.*/, `=${letter.repeat(43)}`);

it('exchanges an administration key for a cookie that scripts cannot read', async () => {
  const answer = await admin.post(PATH);
  expect(answer.outcome).toBe('201');
  const cookie = answer.headers.get('set-cookie')!;
  expect(cookie).toMatch(
    /^slipway-console-[\w-]{8}=[0-9A-Za-z]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
  );
  const secret = /=(\w{43});/.exec(cookie)![1]!;
  expect(answer.text).not.toContain(secret);
  expect(await service.database.dump()).not.toContain(secret);
});

it('makes the cookie of a service behind HTTPS one that no other host sets and no plain request carries', async () => {
  const settings = { ...service.settings, PUBLIC_URL: 'https://slipway.example.com', SLIPWAY_ROLE: 'api' };
  const behindHttps = await startProcess(settings);
  try {
    const { headers } = await administratorOf(behindHttps).post(PATH);
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-slipway-console-[\w-]{8}=[0-9A-Za-z]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
    );
  } finally {
    await behindHttps.stop();
  }
});

it('opens the administration with its token, and nothing without', async () => {
  const signedIn = await signInToConsole(admin);
  expect((await browserOf(service.url, signedIn).get(PROJECTS)).outcome).toBe('200');
  const outcomeWith = async (headers: Record<string, string>) =>
    (await new Client(service.url, headers).get(PROJECTS)).outcome;
  expect(await outcomeWith({ cookie: signedIn.cookie })).toBe('401 API_KEY_MISSING');
  expect(await outcomeWith({ cookie: signedIn.cookie, 'x-slipway-console': 'forged' })).toBe('401 API_KEY_MISSING');
  expect(await outcomeWith({ 'x-slipway-console': signedIn.token })).toBe('401 API_KEY_MISSING');
});

it('begins no other session, which would live on after it', async () => {
  const browser = browserOf(service.url, await signInToConsole(admin));
  expect((await browser.post(PATH)).outcome).toBe('403 CONSOLE_NEEDS_KEY');
});

it('is kept by no cache, and neither is what its pages read', async () => {
  const signedIn = await signInToConsole(admin);
  const { headers } = await new Client(service.url, { cookie: signedIn.cookie }).get(`${PATH}/current`);
  expect(headers.get('cache-control')).toBe('no-store');
  const projects = await browserOf(service.url, signedIn).get(PROJECTS);
  expect(projects.headers.get('cache-control')).toBe('no-store');
});

it('gives a reloaded page its token, and no token to callers without the cookie', async () => {
  const { consoleSessionId, cookie, token } = await signInToConsole(admin);
  const current = await new Client(service.url, { cookie }).get(`${PATH}/current`);
  const data = { consoleSessionId, actorId: 'admin', name: null, token };
  expect(current).toMatchObject({ outcome: '200', body: { data } });
  const forged = { cookie: anotherCookie(cookie, 'a') };
  expect((await new Client(service.url, forged).get(`${PATH}/current`)).body).toMatchObject({ data: null });
});

it('finds its cookie among others of the same name', async () => {
  const signedIn = await signInToConsole(admin);
  const { cookie, consoleSessionId } = signedIn;
  const malformed = cookie.replace(/=.*/, '=old');
  for (const around of [
    [anotherCookie(cookie, 'a'), cookie],
    [cookie, anotherCookie(cookie, 'a')],
    [malformed, ...[...'abcdef'].map((letter) => anotherCookie(cookie, letter)), cookie],
  ]) {
    const cookies = around.join('; ');
    const current = await new Client(service.url, { cookie: cookies }).get(`${PATH}/current`);
    expect(current).toMatchObject({ outcome: '200', body: { data: { consoleSessionId } } });
    expect((await browserOf(service.url, { ...signedIn, cookie: cookies }).get(PROJECTS)).outcome).toBe('200');
  }
});

it('looks at a bounded number of cookies', async () => {
  const { cookie } = await signInToConsole(admin);
  const cookies = [cookie, ...[...'abcdef'].map((letter) => anotherCookie(cookie, letter))].join('; ');
  const current = await new Client(service.url, { cookie: cookies }).get(`${PATH}/current`);
  expect(current).toMatchObject({ outcome: '200', body: { data: null } });
});

it('has a cookie of another name in another installation, because cookies ignore ports', async () => {
  const other = await startProcess({ ...service.settings, SLIPWAY_PEPPER: randomSecret(), SLIPWAY_ROLE: 'api' });
  try {
    const [here, there] = [await signInToConsole(admin), await signInToConsole(administratorOf(other))];
    expect(there.cookie.split('=')[0]).not.toBe(here.cookie.split('=')[0]);
    const cookie = [here.cookie, there.cookie].join('; ');
    expect((await browserOf(service.url, { ...here, cookie }).get(PROJECTS)).outcome).toBe('200');
    expect((await browserOf(other.url, { ...there, cookie }).get(PROJECTS)).outcome).toBe('200');
  } finally {
    await other.stop();
  }
});

it('is not hidden by credentials for a proxy, and gives way to a key', async () => {
  const signedIn = await signInToConsole(admin);
  const { cookie, token } = signedIn;
  const tenant = await makeTenant(service);
  const outcomeWith = async (headers: Record<string, string>) => {
    const browser = new Client(service.url, { cookie, 'x-slipway-console': token, ...headers });
    return (await browser.get(PROJECTS)).outcome;
  };
  expect(await outcomeWith({ authorization: `Basic ${btoa('ada:secret')}` })).toBe('200');
  const ofProxy = { authorization: 'Bearer of-the-proxy' };
  expect(await outcomeWith(ofProxy)).toBe('200');
  expect(await outcomeWith({ 'x-api-key': tenant.key })).toMatch(/^401/);
  expect(await outcomeWith({ apikey: 'wrong' })).toMatch(/^401/);
  const inApp = browserOf(service.url, signedIn, tenant.appId);
  expect((await inApp.post(sessionsOf(tenant), EVERYWHERE, { headers: ofProxy })).outcome).toBe('200');
  expect((await inApp.get(MODELS)).outcome).toBe('200');
  // This route takes a bearer token as a key.
  expect((await inApp.get(MODELS, { headers: ofProxy })).outcome).toMatch(/^401/);
});

it('acts in one app at a time, with every permission there and none elsewhere', async () => {
  const signedIn = await signInToConsole(admin);
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  const inApp = browserOf(service.url, signedIn, tenant.appId);
  expect((await inApp.post(sessionsOf(tenant), EVERYWHERE)).outcome).toBe('200');
  expect((await inApp.post(sessionsOf(other), EVERYWHERE)).outcome).toBe('404 APP_NOT_FOUND');
  const inNone = browserOf(service.url, signedIn);
  expect((await inNone.post(sessionsOf(tenant), EVERYWHERE)).outcome).toBe('401 API_KEY_MISSING');
  const unknown = browserOf(service.url, signedIn, 'aa-unknown');
  expect((await unknown.post(sessionsOf(tenant), EVERYWHERE)).outcome).toBe('401 API_KEY_MISSING');
});

it('writes as the administrator who signed in', async () => {
  const { adminKey, adminKeyId } = await makeAdminKey(service);
  const signedIn = await signInToConsole(Client.withKey(service, adminKey));
  expect(signedIn).toMatchObject({ actorId: adminKeyId });
  const browser = browserOf(service.url, signedIn);
  expect((await browser.post(PROJECTS, { name: 'Made in the console' })).outcome).toBe('201');
  const { body } = await admin.get('/api/admin/v1/audit', { query: { actor: adminKeyId, limit: '1' } });
  expect(body).toMatchObject({ data: [{ actor: { actorId: adminKeyId } }] });
});

it('is over when it is signed out, which deletes the cookie, and listed until then', async () => {
  const signedIn = await signInToConsole(admin);
  const browser = browserOf(service.url, signedIn);
  const isListed = async () =>
    (await admin.get(PATH, { query: { limit: '100' } })).text.includes(signedIn.consoleSessionId);
  expect(await isListed()).toBe(true);
  const answer = await browser.delete(`${PATH}/${signedIn.consoleSessionId}`);
  expect(answer.outcome).toBe('200');
  expect(answer.headers.get('set-cookie')).toMatch(/^slipway-console-[\w-]{8}=; Path=\/; Max-Age=0; /);
  expect(await isListed()).toBe(false);
  expect((await browser.get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
});

it('ends eight hours after the sign-in', async () => {
  const signedIn = await signInToConsole(admin);
  const browser = browserOf(service.url, signedIn);
  expect((await browser.get(PROJECTS)).outcome).toBe('200');
  const ofSession = `from console_session where id = $1`;
  const lasts = await service.database.rows(
    `select expires_at - created_at = interval '8 hours' as lasts ${ofSession}`,
    [signedIn.consoleSessionId],
  );
  expect(lasts).toEqual([{ lasts: true }]);
  // The service reads the time in whole milliseconds, so the same millisecond is not over yet.
  const isOver = `update console_session set expires_at = now() - interval '1 second' where id = $1`;
  await service.database.rows(isOver, [signedIn.consoleSessionId]);
  expect((await browser.get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
});

it('ends with its key, for the administration and in every app', async () => {
  const { adminKey, adminKeyId } = await makeAdminKey(service);
  const signedIn = await signInToConsole(Client.withKey(service, adminKey));
  const tenant = await makeTenant(service);
  const [browser, inApp] = [browserOf(service.url, signedIn), browserOf(service.url, signedIn, tenant.appId)];
  expect((await inApp.post(sessionsOf(tenant), EVERYWHERE)).outcome).toBe('200');
  expect((await revokeAdminKey(service, adminKeyId)).outcome).toBe('200');
  expect((await browser.get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
  expect((await inApp.post(sessionsOf(tenant), EVERYWHERE)).outcome).toBe('401 API_KEY_MISSING');
});

it('repeats a request after the next sign-in as the same administrator, and not in another app', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  const start = async (administrator: Client, { appId }: { appId: string }) => {
    const api = browserOf(service.url, await signInToConsole(administrator), appId);
    const file = { fileContext: 'bulkImport', fileName: 'a.csv', fileExtension: 'csv', fileSize: 9, totalChunks: 2 };
    const headers = { 'idempotency-key': 'one-upload' };
    const { body } = await api.post<{ sessionId: string }>('/api/public/files/session/start', file, { headers });
    return body.sessionId;
  };
  const first = await start(admin, tenant);
  expect(first).toBeTruthy();
  expect(await start(admin, tenant)).toBe(first);
  expect(await start(admin, other)).not.toBe(first);
  const { adminKey } = await makeAdminKey(service);
  expect(await start(Client.withKey(service, adminKey), tenant)).not.toBe(first);
});
