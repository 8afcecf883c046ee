import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { codeOn } from '../access/oidc.js';
import { onwardFrom, Visitor } from '../agents/visitor.js';
import { administratorOf, makeProject, uniqueName } from '../support/actors.js';
import { Client } from '../support/client.js';
import { browserOf, type SignedIn, signInToConsole } from '../support/console.js';
import { eventually } from '../support/eventually.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { randomSecret, settingsFor } from '../support/settings.js';

const PROJECTS = '/api/admin/v1/projects';
const SESSIONS = '/api/admin/v1/console-sessions';
const SIGN_IN = '/api/admin/v1/console-sign-in';

/** A directory that knows each person by the code. */
const directory = createServer(({ url }, response) => {
  const subject = url!.split('/').at(-1);
  response.end(JSON.stringify({ subject, name: `${subject} of the directory`, role: 'viewer' }));
});
await once(directory.listen(0, '127.0.0.1'), 'listening');

const secret = randomSecret();
const settings = {
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./identities.plugin.mjs', import.meta.url)),
  LOG_LEVEL: 'error',
  ACME_SECRET: secret,
  ACME_URL: `http://127.0.0.1:${(directory.address() as AddressInfo).port}`,
};
const { SLIPWAY_CONFIG: _config, ACME_SECRET: _secret, ACME_URL: _url, ...withoutPlugin } = settings;
const service = await startProcess(settings);
const { url } = service;
const admin = administratorOf(service);
afterAll(async () => {
  await service.stop();
  directory.close();
});

/** Returns what the proxy adds to the requests of a person. */
function proxyHeaders(person: object, header = 'x-acme-person'): Record<string, string> {
  const text = Buffer.from(JSON.stringify(person)).toString('base64url');
  return { [header]: `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` };
}
const ada = { subject: 'ada', name: 'Ada of the proxy', role: 'operator' };
const victor = { ...ada, subject: 'victor', role: 'viewer' };
const clientOf = (person: object) => new Client(url, proxyHeaders(person));
const newProject = () => ({ name: uniqueName('project') });
const auditOf = async (actor: string) => (await admin.get('/api/admin/v1/audit', { query: { actor } })).body;

/** Sends a request whose answer Slipway's own documents do not have. */
async function outcomeWith(headers: Record<string, string>): Promise<[number, string | undefined]> {
  const answer = await fetch(url + PROJECTS, { headers });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return [answer.status, error?.code];
}

/** Signs in at the directory, and returns the page that follows. */
async function comeFromDirectory(person: string, callback = 'acme-directory') {
  const visitor = new Visitor();
  const address = new URL(onwardFrom(await visitor.open(`${url}${SIGN_IN}/acme-directory`)));
  expect(address.origin).toBe(settings.ACME_URL);
  expect(address.searchParams.get('redirectUri')).toBe(`${url}${SIGN_IN}/acme-directory/callback`);
  const query = new URLSearchParams({ ticket: person, state: address.searchParams.get('state')! });
  return { visitor, seen: await visitor.open(`${url}${SIGN_IN}/${callback}/callback?${query.toString()}`) };
}

/** Returns the session of a browser that has signed in. */
async function sessionOf({ cookie }: Visitor): Promise<SignedIn & { name: string }> {
  const { body } = await new Client(url, { cookie }).get<{ data: SignedIn & { name: string } }>(`${SESSIONS}/current`);
  return { ...body.data, cookie };
}

describe('an administrator whom a header of a proxy identifies', () => {
  it('has the role that the identity says, and is in the audit', async () => {
    expect((await clientOf(victor).post(PROJECTS, newProject())).outcome).toBe('403 PERMISSION_DENIED');
    expect((await clientOf(victor).get(PROJECTS)).outcome).toBe('200');
    expect((await clientOf(ada).post(PROJECTS, newProject())).outcome).toBe('201');
    expect(await auditOf('acme-proxy:ada')).toMatchObject({
      data: [{ actor: { actorId: 'acme-proxy:ada', kind: 'admin', label: 'Ada of the proxy' } }],
    });
    expect(await auditOf('acme-proxy:victor')).toMatchObject({ data: [] });
  });

  it('is taken for no key, whatever else the identity returns', async () => {
    const paula = { ...ada, subject: 'paula', keyId: null };
    expect((await clientOf(paula).post(PROJECTS, newProject())).outcome).toBe('201');
    expect(await auditOf('acme-proxy:paula')).toMatchObject({ data: [{ actor: { actorId: 'acme-proxy:paula' } }] });
  });

  it('keeps no key waiting if the identity does not answer, and is refused after five seconds', async () => {
    const hanging = Array.from({ length: 64 }, () => outcomeWith(proxyHeaders({ ...ada, subject: 'nobody-answers' })));
    const others = () => outcomeWith(proxyHeaders(ada));
    expect(await eventually(others, ([status]) => status !== 200)).toEqual([503, 'OVERLOADED']);
    expect((await admin.get(PROJECTS)).outcome).toBe('200');
    for (const outcome of await Promise.all(hanging)) expect(outcome).toEqual([500, 'INTERNAL_ERROR']);
    expect(service.output()).toContain('The identity acme-proxy took longer than 5000 ms');
    expect(await others()).toEqual([200, undefined]);
  });

  it('may have roles in single projects alone', async () => {
    const [own, other] = [await makeProject(service), await makeProject(service)];
    const client = clientOf({ ...ada, role: null, projectRoles: { [own]: 'viewer' } });
    const { body } = await client.get<{ data: { projectId: string }[] }>(PROJECTS);
    expect(body.data.map(({ projectId }) => projectId)).toEqual([own]);
    expect((await client.get(`${PROJECTS}/${other}`)).outcome).toBe('404 PROJECT_NOT_FOUND');
  });

  it('may do nothing without a role', async () => {
    const client = clientOf({ ...ada, role: null });
    expect((await client.post(PROJECTS, newProject())).outcome).toBe('403 PERMISSION_DENIED');
    expect((await client.get('/api/admin/v1/jobs')).outcome).toBe('403 PERMISSION_DENIED');
  });

  it('is refused with the error of the plugin, and not identified without the header', async () => {
    const forged = proxyHeaders(ada)['x-acme-person']!.replace(/\..*/, `.${'A'.repeat(43)}`);
    expect(await outcomeWith({ 'x-acme-person': forged })).toEqual([401, 'ACME_PROXY_REFUSED']);
    expect(await outcomeWith({})).toEqual([401, 'API_KEY_MISSING']);
  });

  it('sends a key if that is meant', async () => {
    const headers = proxyHeaders(victor);
    const withKey = (key: string) => new Client(url, { ...headers, 'x-api-key': key });
    expect((await withKey(service.adminKey).post(PROJECTS, newProject())).outcome).toBe('201');
    expect((await withKey('swa_mistyped').get(PROJECTS)).outcome).toBe('401 API_KEY_INVALID');
    expect((await withKey('').get(PROJECTS)).outcome).toBe('200');
  });

  it('has a name and roles that are checked', async () => {
    for (const malformed of [
      { ...ada, role: 'root' },
      { ...ada, role: 'root', keyId: null },
      { ...ada, subject: 'ä' },
      { ...ada, name: '' },
      { ...ada, name: 'Ada\0' },
      { ...ada, name: 'Ada\nof the proxy' },
      { ...ada, name: 'Ada\u2028of the proxy' },
      { ...ada, projectRoles: { shop: 'owner' } },
    ]) {
      expect(await outcomeWith(proxyHeaders(malformed))).toEqual([500, 'INTERNAL_ERROR']);
    }
    expect(service.output()).toContain('The identity acme-proxy has returned a malformed person');
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 401],
    [{ 'sec-fetch-site': 'same-site' }, 401],
    [{ 'sec-fetch-site': 'cross-site, same-origin' }, 401],
    [{ 'sec-fetch-site': '' }, 401],
    [{ origin: 'https://evil.example.com' }, 401],
    [{ origin: 'null' }, 401],
    [{ origin: url }, 200],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://outside.example.com' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('is identified for pages of Slipway alone: %j', async (headers, status) => {
    expect((await outcomeWith({ ...proxyHeaders(ada), ...headers }))[0]).toBe(status);
  });
});

describe('the console', () => {
  it('offers the identities of the plugin', async () => {
    expect((await new Client(url).get(SIGN_IN)).body).toMatchObject({
      data: {
        identities: [
          { name: 'acme-proxy', title: 'the proxy of Acme' },
          { name: 'acme-directory', title: 'Acme' },
          { name: 'acme-partners', title: 'partners of Acme' },
        ],
      },
    });
  });

  it('signs in the person whom a request identifies, and then takes the cookie alone', async () => {
    const browser = browserOf(url, await signInToConsole(clientOf(victor)));
    expect((await browser.get(PROJECTS)).outcome).toBe('200');
    expect((await browser.post(PROJECTS, newProject())).outcome).toBe('403 PERMISSION_DENIED');
    const page = await fetch(`${url}${SIGN_IN}/acme-proxy`, { headers: proxyHeaders(victor) });
    expect(await page.text()).toContain('content="0;url=/console/#signed-in"');
    const refused = await new Visitor().open(`${url}${SIGN_IN}/acme-proxy`);
    expect([refused.status, codeOn(refused)]).toEqual([403, 'CONSOLE_SIGN_IN_REFUSED']);
  });

  it('goes on as no other person when its session has ended', async () => {
    const signedIn = await signInToConsole(clientOf(victor));
    await admin.delete(`${SESSIONS}/${signedIn.consoleSessionId}`);
    const headers = { ...proxyHeaders(ada), cookie: signedIn.cookie, 'x-slipway-console': signedIn.token };
    expect(await outcomeWith(headers)).toEqual([401, 'API_KEY_MISSING']);
  });

  it.each(['cross-site', 'same-site'])('signs in no person for a page of another site: %s', async (site) => {
    const headers = { ...proxyHeaders(victor), 'sec-fetch-site': site };
    const refused = await fetch(`${url}${SIGN_IN}/acme-proxy`, { headers });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('CONSOLE_SIGN_IN_REFUSED')]);
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  it('signs in no person without a role', async () => {
    const headers = proxyHeaders({ ...victor, role: null });
    const refused = await fetch(`${url}${SIGN_IN}/acme-proxy`, { headers });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('CONSOLE_SIGN_IN_NO_ROLE')]);
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  it('lists which identity signed in', async () => {
    const { consoleSessionId } = await signInToConsole(clientOf(victor));
    const { body } = await admin.get<{ data: object[] }>(SESSIONS, { query: { order: 'desc', limit: '100' } });
    expect(body.data).toContainEqual(
      expect.objectContaining({ consoleSessionId, name: victor.name, identity: 'acme-proxy' }),
    );
  });

  it('signs in no person of an identity that it does not offer', async () => {
    const script = new Client(url, proxyHeaders(victor, 'x-acme-script'));
    expect((await script.get(PROJECTS)).outcome).toBe('200');
    expect((await script.post(SESSIONS)).outcome).toBe('403 CONSOLE_NEEDS_KEY');
    expect((await new Client(url).get(`${SIGN_IN}/acme-scripts`)).outcome).toBe('404 CONSOLE_SIGN_IN_OFF');
  });

  it('signs in people whom the directory sends back', async () => {
    const { visitor, seen } = await comeFromDirectory('victor');
    expect(seen.status).toBe(200);
    const session = await sessionOf(visitor);
    expect(session.name).toBe('victor of the directory');
    expect((await browserOf(url, session).get(PROJECTS)).outcome).toBe('200');
    expect(await auditOf('acme-directory:victor')).toMatchObject({ data: [{ target: { kind: 'consoleSession' } }] });
  });

  it('completes no sign-in that another identity began, and knows none that does not exist', async () => {
    for (const other of ['acme-partners', 'acme-proxy']) {
      const { seen } = await comeFromDirectory('victor', other);
      expect([seen.status, codeOn(seen)]).toEqual([400, 'CONSOLE_SIGN_IN_NOT_FOUND']);
    }
    expect((await comeFromDirectory('victor', 'acme-directory')).seen.status).toBe(200);
    for (const name of ['key', 'oidc', 'nowhere']) {
      const unknown = await new Visitor().open(`${url}${SIGN_IN}/${name}`);
      expect([unknown.status, codeOn(unknown)]).toEqual([404, 'CONSOLE_SIGN_IN_OFF']);
    }
  });

  it('takes equal subjects of two identities for two people', async () => {
    const { consoleSessionId } = await sessionOf((await comeFromDirectory('victor')).visitor);
    const end = () => clientOf(victor).delete(`${SESSIONS}/${consoleSessionId}`);
    expect((await end()).outcome).toBe('403 PERMISSION_DENIED');
    const own = await signInToConsole(clientOf(victor));
    expect((await clientOf(victor).delete(`${SESSIONS}/${own.consoleSessionId}`)).outcome).toBe('200');
  });

  it.each([
    ['go on if nothing changes', settings, '200'],
    ['end if the settings of the identity change', { ...settings, ACME_SECRET: randomSecret() }, '401 API_KEY_MISSING'],
    ['end if the plugin is removed', withoutPlugin, '401 API_KEY_MISSING'],
  ])('has sessions of people that %s', async (_, others, outcome) => {
    const signedIn = await signInToConsole(clientOf(victor));
    const process = await startProcess({ ...others, SLIPWAY_ROLE: 'api' });
    try {
      expect((await browserOf(process.url, signedIn).get(PROJECTS)).outcome).toBe(outcome);
    } finally {
      await process.stop();
    }
  });
});

it.each(['null', 'undefined', 'failing', 'promised'])(
  'asks an identity nothing if its basis is %s, and ends its sessions',
  async (basis) => {
    const signedIn = await signInToConsole(clientOf(victor));
    const process = await startProcess({ ...settings, SLIPWAY_ROLE: 'api', ACME_PROXY: basis });
    try {
      for (const client of [new Client(process.url, proxyHeaders(victor)), browserOf(process.url, signedIn)]) {
        expect((await client.get(PROJECTS)).outcome).toBe('401 API_KEY_MISSING');
      }
      expect((await administratorOf(process).get(PROJECTS)).outcome).toBe('200');
      expect((await new Client(process.url).get(SIGN_IN)).body).toMatchObject({
        data: { identities: [{ name: 'acme-directory' }, { name: 'acme-partners' }] },
      });
      const left = process.output().match(/The identity acme-proxy is left out, because its basis failed/g);
      expect(left?.length).toBe(['failing', 'promised'].includes(basis) ? 1 : undefined);
    } finally {
      await process.stop();
    }
  },
);

it('documents the error of the plugin for all routes of the administration, and the names of the identities', async () => {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, { get: object }> };
  expect(JSON.stringify(paths[PROJECTS])).toContain('ACME_PROXY_REFUSED');
  const { get } = paths[`${SIGN_IN}/{identity}`]!;
  for (const path of [`${SIGN_IN}/{identity}`, `${SIGN_IN}/{identity}/callback`])
    expect(JSON.stringify(paths[path])).toContain('ACME_PROXY_REFUSED');
  const names = expect.arrayContaining(['oidc', 'acme-proxy', 'acme-directory']) as string[];
  expect(get).toMatchObject({ parameters: [{ schema: { enum: names } }] });
});
