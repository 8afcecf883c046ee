import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { administratorWith, makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { startService } from '../support/service.js';
import { aCall, EVER, written } from '../ledger/calls.js';
import { ADMIN_KEYS, CONSOLE_SESSIONS } from './permitted-roles.js';

const service = await startService();
const [tenant, other] = await Promise.all([makeTenant(service), makeTenant(service)]);
const { projectId, appId } = tenant;
const [viewer, auditor, operator, owner] = await Promise.all(
  (['viewer', 'auditor', 'operator', 'owner'] as const).map((role) => administratorWith(service, role, projectId)),
);
const stranger = await administratorWith(service, 'owner', other.projectId);
afterAll(() => service.stop());

const ADMIN = '/api/admin/v1';
const namesIn = async (client: Client, path: string, member: string) => {
  const { body, outcome } = await client.get<{ data: Record<string, unknown>[] }>(`${ADMIN}${path}`);
  expect(outcome).toBe('200');
  return body.data.map((each) => each[member]);
};

describe('an administrator of one project among two', () => {
  let [mine, theirs]: Tenant[] = [];
  let ofMine: Client;
  beforeAll(async () => {
    [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    ofMine = await administratorWith(service, 'viewer', mine.projectId);
    await written(mine, aCall({ cost: 2 }));
    await written(theirs, aCall({ cost: 7 }), aCall({ cost: 7 }));
  });

  it.each(['/projects', '/problems', '/ledger-summary', '/apps'])('GET %s lists what is visible', async (path) => {
    expect(await namesIn(ofMine, path, 'projectId')).toEqual([mine!.projectId]);
  });

  it('finds the apps of a visible project, and none of another', async () => {
    expect(await namesIn(ofMine, `/apps?projectId=${mine!.projectId}`, 'appId')).toEqual([mine!.appId]);
    expect(await namesIn(ofMine, `/apps?projectId=${theirs!.projectId}`, 'appId')).toEqual([]);
  });

  it('sums up the calls of visible projects alone', async () => {
    const query = { fromDate: EVER.fromDate, toDate: EVER.toDate };
    const groupsOf = async (client: Client) => {
      const path = `${ADMIN}/llm-ledger/summary`;
      const { body } = await client.get<{ groups: { key: string; calls: number }[] }>(path, { query });
      return body.groups.map(({ key, calls }) => [key, calls]);
    };
    expect(await groupsOf(administratorOf(service))).toContainEqual([theirs!.projectId, 2]);
    expect(await groupsOf(ofMine)).toEqual([[mine!.projectId, 1]]);
  });

  const groupings: Record<string, string>[] = [{}, { groupBy: 'model' }];
  it.each(groupings)('measures the calls of visible projects alone: %j', async (grouped) => {
    const callsSeenBy = async (client: Client) => {
      const path = `${ADMIN}/llm-ledger/latency`;
      const query = { fromDate: EVER.fromDate, toDate: EVER.toDate, interval: 'day', ...grouped };
      const { body } = await client.get<{ intervals: { calls: number }[] }>(path, { query });
      return body.intervals.reduce((sum, { calls }) => sum + calls, 0);
    };
    expect(await callsSeenBy(administratorOf(service))).toBeGreaterThan(2);
    expect(await callsSeenBy(ofMine)).toBe(1);
  });
});

it('the audit of a project is for its auditors, and that of all projects for those of the installation', async () => {
  expect(await namesIn(auditor!, `/audit?projectId=${projectId}`, 'auditId')).not.toEqual([]);
  for (const query of ['', `?projectId=${other.projectId}`, '?projectId=constructor', `?targetId=${appId}`]) {
    expect((await auditor!.get(`${ADMIN}/audit${query}`)).outcome).toBe('403 PERMISSION_DENIED');
  }
  const { text } = await auditor!.get(`${ADMIN}/audit`);
  expect(text).toContain('with the role owner or auditor in the whole installation');
  expect((await operator!.get(`${ADMIN}/audit?projectId=${projectId}`)).outcome).toBe('403 PERMISSION_DENIED');
});

it('only an owner of the project changes how long its audit is kept', async () => {
  const path = `${ADMIN}/projects/${projectId}/retention`;
  const days = { audit: 90 };
  expect((await stranger.put(path, { days })).outcome).toBe('404 PROJECT_NOT_FOUND');
  expect((await operator!.put(path, { days })).outcome).toBe('403 PERMISSION_DENIED');
  expect((await owner!.put(path, { days })).outcome).toBe('200');
});

it('a key says for which project its role is, and an unknown project has none', async () => {
  const admin = administratorOf(service);
  const made = await makeAdminKey(service, 'of a project', 'operator', projectId);
  const read = await admin.get(`${ADMIN_KEYS}/${made.adminKeyId}`);
  expect(read.body).toMatchObject({ data: { role: 'operator', projectId } });
  const everywhere = await makeAdminKey(service, 'of all projects', 'operator');
  expect(await admin.get(`${ADMIN_KEYS}/${everywhere.adminKeyId}`)).toMatchObject({
    body: { data: { projectId: null } },
  });
  for (const unknown of ['p-0000000000000000000000', 'no id']) {
    const refused = await admin.post(ADMIN_KEYS, { name: 'of no project', projectId: unknown });
    expect(refused.outcome).toBe('404 PROJECT_NOT_FOUND');
  }
});

it('a project with an administration key is not deleted before the key is revoked', async () => {
  const admin = administratorOf(service);
  const { body } = await admin.post<{ data: { projectId: string } }>(`${ADMIN}/projects`, { name: 'With a key' });
  const path = `${ADMIN}/projects/${body.data.projectId}`;
  const { adminKeyId } = await makeAdminKey(service, 'the last one', 'viewer', body.data.projectId);
  expect((await admin.delete(path)).outcome).toBe('409 PROJECT_NOT_EMPTY');
  await revokeAdminKey(service, adminKeyId);
  expect((await admin.delete(path)).outcome).toBe('200');
});

it('the console session of such a key has its roles, in the apps of its project alone', async () => {
  const signedIn = await signInToConsole(viewer!);
  const { body } = await new Client(service.url).get<{ data: object }>(`${CONSOLE_SESSIONS}/current`, {
    headers: { cookie: signedIn.cookie },
  });
  expect(body.data).toMatchObject({ role: null, projectRoles: [{ projectId, role: 'viewer' }] });
  const inApp = browserOf(service.url, signedIn, appId);
  expect((await inApp.get('/api/public/connections')).outcome).toBe('200');
  const path = `/api/v2/apps/${appId}/environments/production/sessions`;
  const identity = { sessionIdentity: [{ type: 'userReference', value: 'ada' }] };
  expect((await inApp.post(path, identity)).outcome).toBe('403 PERMISSION_DENIED');
  const inOther = browserOf(service.url, signedIn, other.appId);
  expect((await inOther.get('/api/public/connections')).outcome).toBe('401 API_KEY_MISSING');
  const session = `${CONSOLE_SESSIONS}/${signedIn.consoleSessionId}`;
  expect((await owner!.delete(session)).outcome).toBe('404 CONSOLE_SESSION_NOT_FOUND');
  expect((await browserOf(service.url, signedIn).delete(session)).outcome).toBe('200');
});
