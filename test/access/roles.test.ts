import { ADMIN_ROLES, type AdminRole } from '../../src/kernel/roles.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { administratorWith, makeAdminKey } from '../support/admin-keys.js';
import { Client, faultsAt } from '../support/client.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { startService } from '../support/service.js';
import { ADMIN_KEYS as PATH, CONSOLE_SESSIONS as SESSIONS } from './permitted-roles.js';

const service = await startService();
const tenant = await makeTenant(service);
const clients = Object.fromEntries(
  await Promise.all(ADMIN_ROLES.map(async (role) => [role, await administratorWith(service, role)] as const)),
) as Record<AdminRole, Client>;
afterAll(() => service.stop());

it('a refusal names the roles that may', async () => {
  const answer = await clients.viewer.post('/api/admin/v1/projects', { name: 'Not mine' });
  expect(answer.text).toContain('of an administrator with the role owner or operator');
});

it('a key is that of an owner unless its creator says otherwise, and an unknown role is refused', async () => {
  const admin = administratorOf(service);
  const { body } = await admin.post<{ data: { role: string } }>(PATH, { name: 'without a role' });
  expect(body.data.role).toBe('owner');
  expect(await admin.post(PATH, { name: 'with another role', role: 'root' })).toMatchObject(faultsAt('role'));
  const { adminKeyId } = await makeAdminKey(service, 'an auditor', 'auditor');
  expect(await admin.get(`${PATH}/${adminKeyId}`)).toMatchObject({ body: { data: { role: 'auditor' } } });
  expect(await admin.patch(`${PATH}/${adminKeyId}`, { name: 'an owner', role: 'owner' })).toMatchObject(
    faultsAt('role'),
  );
});

it('the console session of a viewer reads an app, and changes nothing in it', async () => {
  const signedIn = await signInToConsole(clients.viewer);
  const { appId } = tenant;
  const inApp = browserOf(service.url, signedIn, appId);
  expect((await inApp.get('/api/public/connections')).outcome).toBe('200');
  const listed = await inApp.post(`/api/public/apps/${appId}/sessions/list`, { env_name: 'production' });
  expect(listed.outcome).toBe('200');
  const environment = `/api/v2/apps/${appId}/environments/production`;
  const identity = { sessionIdentity: [{ type: 'userReference', value: 'ada' }] };
  const refused = await inApp.post(`${environment}/sessions`, identity);
  expect(refused.outcome).toBe('403 PERMISSION_DENIED');
  expect(refused.text).toContain('of an administrator with the role owner or operator');
  expect((await browserOf(service.url, signedIn).delete(`/api/admin/v1/apps/${appId}`)).outcome).toBe(
    '403 PERMISSION_DENIED',
  );
  const operator = browserOf(service.url, await signInToConsole(clients.operator), appId);
  expect((await operator.post(`${environment}/sessions`, identity)).outcome).toBe('201');
});

it('only an owner changes how long the audit is kept', async () => {
  const path = `/api/admin/v1/projects/${tenant.projectId}/retention`;
  const days = { audit: 90 };
  expect((await clients.operator.put(path, { days })).outcome).toBe('403 PERMISSION_DENIED');
  expect((await clients.owner.put(path, { days })).outcome).toBe('200');
});

it('a viewer signs out the own browser, and only an owner those of others', async () => {
  const own = await signInToConsole(clients.viewer);
  const other = await signInToConsole(clients.operator);
  const ofOther = `${SESSIONS}/${other.consoleSessionId}`;
  expect((await browserOf(service.url, own).delete(ofOther)).outcome).toBe('403 PERMISSION_DENIED');
  expect((await clients.operator.delete(`${SESSIONS}/${own.consoleSessionId}`)).outcome).toBe('403 PERMISSION_DENIED');
  expect((await browserOf(service.url, own).delete(`${SESSIONS}/${own.consoleSessionId}`)).outcome).toBe('200');
  expect((await clients.owner.delete(ofOther)).outcome).toBe('200');
});

it('a page that is reloaded knows the role of its session', async () => {
  const { cookie } = await signInToConsole(clients.auditor);
  const { body } = await new Client(service.url).get<{ data: { role: string } }>(`${SESSIONS}/current`, {
    headers: { cookie },
  });
  expect(body.data.role).toBe('auditor');
});
