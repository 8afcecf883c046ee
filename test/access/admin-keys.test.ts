import { administratorOf, makeProject, makeTenant, uniqueName } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client, faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const PATH = '/api/admin/v1/admin-keys';
const PROJECTS = '/api/admin/v1/projects';
const outcomeWith = async (key: string) => (await Client.withKey(service, key).get(PROJECTS)).outcome;

it('a named administration key opens the administration as the key of the settings does', async () => {
  const { adminKey } = await makeAdminKey(service);
  expect((await Client.withKey(service, adminKey).post(PROJECTS, { name: 'By Ada' })).outcome).toBe('201');
});

it('a named administration key is shown once, with its name, and has a form of its own', async () => {
  const name = uniqueName('ada');
  const answer = await admin.post(PATH, { name });
  expect(answer).toMatchObject({
    outcome: '201',
    body: {
      success: true,
      data: {
        adminKeyId: expect.stringMatching(/^dk-[0-9A-Za-z]{22}$/) as string,
        name,
        adminKey: expect.stringMatching(/^swa_[0-9A-Za-z]{49}$/) as string,
        createdAt: expect.any(String) as string,
      },
    },
  });
  const { adminKey } = (answer.body as { data: { adminKey: string } }).data;
  expect((await admin.get(PATH, { query: { limit: '100' } })).text).not.toContain(adminKey.slice(4, -4));
  expect(await service.database.dump()).not.toContain(adminKey.slice(4, -4));
});

it('the name of an administration key is unique without regard to case, even if two requests come at once', async () => {
  const { name } = await makeAdminKey(service, uniqueName('Grace'));
  expect((await admin.post(PATH, { name: name.toUpperCase() })).outcome).toBe('409 DUPLICATE_ADMIN_KEY_NAME');
  const fresh = uniqueName('Edsger');
  const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(PATH, { name: fresh })));
  expect(answers.filter(({ outcome }) => outcome === '201')).toHaveLength(1);
});

it('an administration key is listed until it is revoked, and then its name can be used again', async () => {
  const { adminKeyId, name, adminKey } = await makeAdminKey(service);
  const listed = async () => (await admin.get(PATH, { query: { limit: '100' } })).text.includes(adminKeyId);
  expect(await listed()).toBe(true);
  const answer = await revokeAdminKey(service, adminKeyId);
  expect(answer).toMatchObject({ outcome: '200', body: { success: true, data: { adminKeyId } } });
  expect(await listed()).toBe(false);
  expect(await outcomeWith(adminKey)).toBe('401 API_KEY_INVALID');
  expect((await revokeAdminKey(service, adminKeyId)).outcome).toBe('404 ADMIN_KEY_NOT_FOUND');
  expect((await admin.post(PATH, { name })).outcome).toBe('201');
});

it('an administration key can revoke itself', async () => {
  const { adminKeyId, adminKey } = await makeAdminKey(service);
  const api = Client.withKey(service, adminKey);
  expect((await api.delete(`${PATH}/${adminKeyId}`)).outcome).toBe('200');
  expect(await outcomeWith(adminKey)).toBe('401 API_KEY_INVALID');
});

it('an administration key needs a name', async () => {
  expect(await admin.post(PATH, {})).toMatchObject(faultsAt('name'));
  expect(await admin.post(PATH, { name: ' ' })).toMatchObject(faultsAt('name'));
});

it('an administration key is refused on the routes of a project', async () => {
  const { adminKey } = await makeAdminKey(service);
  for (const key of [adminKey, service.adminKey]) {
    expect((await Client.withKey(service, key).get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');
  }
});

it('an administration key sees every project', async () => {
  const { adminKey } = await makeAdminKey(service);
  const [projectId, { appId }] = await Promise.all([makeProject(service), makeTenant(service)]);
  const api = Client.withKey(service, adminKey);
  expect((await api.get(`${PROJECTS}/${projectId}`)).outcome).toBe('200');
  expect((await api.get(`/api/admin/v1/apps/${appId}`)).outcome).toBe('200');
});
