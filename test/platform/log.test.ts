import { newKeyValue } from '../../src/kernel/key-format.js';
import { administratorOf, makeKey, makeTenant, revoke } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { signInToConsole } from '../support/console.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { whileProjectsFail, whileRenamed } from '../support/faults.js';
import { startProcess } from '../support/process.js';
import { untilWaiting } from '../support/running.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), LOG_LEVEL: 'trace' };
const service = await startProcess(settings);
const database = new TestDatabase(settings.DATABASE_URL!);
const tenant = await makeTenant(service);
afterAll(() => Promise.all([service.kill(), database.end()]));

const ME = '/api/public/me';
const stranger = new Client(service.url);

interface Line {
  level: string;
  time: string;
  msg: string;
  requestId?: string;
  correlationId?: string;
  actor?: string;
  status?: number;
  path?: string;
}

const lines = () => service.output().split('\n').filter(Boolean);
const linesOf = (requestId: string | null) =>
  lines()
    .filter((line) => requestId !== null && line.includes(requestId))
    .map((line) => JSON.parse(line) as Line);

/** The line that ends a request is written after its answer, so this waits for it. */
function lineOf(requestId: string | null): Promise<Line> {
  return eventually(
    () => linesOf(requestId).find(({ msg }) => msg === 'request'),
    (line) => line !== undefined,
  ) as Promise<Line>;
}

it('records who requested what, and how each request ended', async () => {
  const { headers } = await tenant.api.get(ME);
  expect(await lineOf(headers.get('x-request-id'))).toMatchObject({
    level: 'info',
    actor: tenant.keyId,
    method: 'GET',
    path: ME,
    status: 200,
    durationMs: expect.any(Number) as number,
  });
});

it('names the administrator', async () => {
  const { adminKey, name } = await makeAdminKey(service);
  const named = await Client.withKey(service, adminKey).get('/api/admin/v1/projects');
  expect((await lineOf(named.headers.get('x-request-id'))).actor).toBe(`admin:${name}`);
  const { headers } = await administratorOf(service).get('/api/admin/v1/projects');
  expect((await lineOf(headers.get('x-request-id'))).actor).toBe('admin');
});

it('has the whole path below one that is served by a part, and who asked for it', async () => {
  const { cookie } = await signInToConsole(administratorOf(service));
  const path = '/queues/api/queues/turns/%ff';
  const { outcome, headers } = await new Client(service.url, { cookie }).get(path);
  expect(outcome).toBe('404 ROUTE_NOT_FOUND');
  expect(await lineOf(headers.get('x-request-id'))).toMatchObject({ actor: 'admin', path, status: 404 });
});

it('has the client’s own id if it is well-formed', async () => {
  const good = await stranger.get(ME, { headers: { 'x-request-id': 'order-42-of-ada' } });
  expect((await lineOf(good.headers.get('x-request-id'))).correlationId).toBe('order-42-of-ada');
  const bad = await stranger.get(ME, { headers: { 'x-request-id': 'no good' } });
  expect(await lineOf(bad.headers.get('x-request-id'))).not.toHaveProperty('correlationId');
});

it('records the cause of a fault under the id that the client received', async () => {
  const answer = await whileRenamed(database, 'project', () =>
    administratorOf(service).post('/api/admin/v1/projects', { name: 'x' }),
  );
  expect(answer.outcome).toBe('500 INTERNAL_ERROR');
  const requestId = answer.headers.get('x-request-id');
  await lineOf(requestId);
  expect(linesOf(requestId)).toContainEqual(expect.objectContaining({ level: 'error', code: 'INTERNAL_ERROR' }));
});

it('has one line for an outage of the database, however many requests fail', async () => {
  const before = lines().length;
  const answers = await whileProjectsFail(database, '57P01', () =>
    Promise.all(
      Array.from({ length: 5 }, () => administratorOf(service).post('/api/admin/v1/projects', { name: 'x' })),
    ),
  );
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => '503 DATABASE_UNAVAILABLE'));
  for (const { headers } of answers) await lineOf(headers.get('x-request-id'));
  const since = lines().slice(before);
  expect(since.filter((line) => line.includes('The database does not answer'))).toHaveLength(1);
  expect(since.filter((line) => line.includes('"stack"'))).toHaveLength(1);
  const over = await eventually(() => lines().find((line) => line.includes('The outage of the database is over')));
  expect(JSON.parse(over!)).toMatchObject({ level: 'info', failures: 5 });
});

it('has no line for a health check that is well', async () => {
  const { headers } = await stranger.get('/health/live');
  await lineOf((await stranger.get('/nowhere')).headers.get('x-request-id'));
  expect(linesOf(headers.get('x-request-id'))).toEqual([]);
});

it('never contains a key, wherever a client puts it', async () => {
  const { key, keyId, api } = await makeKey(service, tenant.appId, tenant.scopeName);
  const { adminKey } = await makeAdminKey(service);
  const unknown = newKeyValue('sw_');
  for (const canary of [key, adminKey, unknown, service.adminKey]) {
    const body = { name: canary, api_key_name: canary, [canary]: canary };
    await Client.withKey(service, canary).get(ME);
    await Client.withKey(service, `${canary}x`).get(ME);
    await stranger.get(ME, { headers: { apikey: canary, authorization: `Bearer ${canary}`, cookie: `key=${canary}` } });
    await stranger.get(ME, { query: { apikey: canary, [canary]: canary } });
    await stranger.get(ME, { headers: { referer: `https://x.test/?key=${canary}`, 'user-agent': canary } });
    await stranger.post(`/nowhere/${canary}`, body);
    await api.delete(`/aaa/api/public/apps/${tenant.appId}/apikeys/${canary}`);
    await api.post(`/aaa/api/public/apps/${tenant.appId}/apikeys/create`, body);
    await administratorOf(service).send('POST', '/api/admin/v1/projects', { rawBody: `{"name": "${canary}" nonsense` });
    await whileProjectsFail(database, 'XX000', () =>
      administratorOf(service).post('/api/admin/v1/projects', { name: 'x' }),
    );
  }
  await api.post(`/aaa/api/public/apps/${tenant.appId}/apikeys/${keyId}/rotate`);
  await revoke(service, tenant.appId, keyId);
  const { headers } = await stranger.get('/nowhere');
  await lineOf(headers.get('x-request-id'));

  const written = service.output();
  const secrets = [
    key,
    adminKey,
    unknown,
    service.adminKey,
    settings.SLIPWAY_PEPPER!,
    new URL(settings.DATABASE_URL!).password,
  ];
  const shown = (secret: string) => written.split('\n').filter((line) => line.includes(secret.slice(5, 25)));
  expect(secrets.flatMap(shown)).toEqual([]);
});

it('never contains what clients store', async () => {
  const canary = 'a name that is nobody’s business';
  await administratorOf(service).post('/api/admin/v1/projects', { name: canary });
  await whileProjectsFail(database, 'XX000', () =>
    administratorOf(service).post('/api/admin/v1/projects', { name: canary }),
  );
  const { headers } = await stranger.get('/nowhere');
  await lineOf(headers.get('x-request-id'));
  expect(service.output().includes(canary)).toBe(false);
});

it('is one JSON object per line, whatever happens', async () => {
  const { keyId, api } = await makeKey(service, tenant.appId, tenant.scopeName);
  const lock = await database.openTransaction('select from scope where id = $1 for update', [tenant.scopeId]);
  const running = api.put(`/aaa/api/public/apps/${tenant.appId}/scopes/${tenant.scopeId}`, { permissions: {} });
  await untilWaiting(database, 'scope');
  await revoke(service, tenant.appId, keyId);
  const { headers } = await running;
  await lock.commit();
  await lineOf(headers.get('x-request-id'));
  for (const line of lines()) {
    expect(line).toMatch(/^\{.*\}$/);
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) as string, time: expect.any(String) as string });
  }
});
