import { activate, makeActiveAgent } from '../agents/make.js';
import { administratorOf, makeApp, makeProject, makeScope, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const PROJECTS = '/api/admin/v1/projects';
const APPS = '/api/admin/v1/apps';
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const META = { requestId: expect.any(String) as string, timestamp: ISO };

describe('a project', () => {
  it('is made, read and renamed', async () => {
    const made = await admin.post<{ data: { projectId: string } }>(PROJECTS, { name: 'Customer service' });
    const { projectId } = made.body.data;
    const data = {
      projectId: expect.stringMatching(/^p-[0-9A-Za-z]{22}$/) as string,
      name: 'Customer service',
      createdAt: ISO,
    };
    expect(made.outcome).toBe('201');
    expect(made.body).toStrictEqual({ success: true, data, meta: META });

    const path = `${PROJECTS}/${projectId}`;
    expect((await admin.get(path)).body).toMatchObject({ data: { projectId, name: 'Customer service' } });
    expect((await admin.patch(path, { name: 'Returns' })).body).toMatchObject({ data: { projectId, name: 'Returns' } });
    expect((await admin.get(path)).body).toMatchObject({ data: { name: 'Returns' } });
  });

  it('may have the name of another', async () => {
    const [a, b] = await Promise.all([makeProject(service, 'Same'), makeProject(service, 'Same')]);
    expect(a).not.toBe(b);
  });

  it.each([
    ['missing', undefined],
    ['blank', ' '],
    ['too long', 'x'.repeat(129)],
    ['with a tab', 'a\tb'],
    ['a number', 1],
  ])('is refused with a name that is %s', async (_, name) => {
    expect(await admin.post(PROJECTS, { name })).toMatchObject(faultsAt('name'));
  });

  it('is deleted when it is empty, once', async () => {
    const path = `${PROJECTS}/${await makeProject(service)}`;
    expect((await admin.delete(path)).outcome).toBe('200');
    expect((await admin.delete(path)).outcome).toBe('404 PROJECT_NOT_FOUND');
    expect((await admin.get(path)).outcome).toBe('404 PROJECT_NOT_FOUND');
  });

  it('is not deleted while it has an app', async () => {
    const projectId = await makeProject(service);
    const appId = await makeApp(service, projectId);
    expect((await admin.delete(`${PROJECTS}/${projectId}`)).outcome).toBe('409 PROJECT_NOT_EMPTY');
    expect((await admin.delete(`${APPS}/${appId}`)).outcome).toBe('200');
    expect((await admin.delete(`${PROJECTS}/${projectId}`)).outcome).toBe('200');
  });

  it('goes or gets an app, and never both, when both are asked at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const projectId = await makeProject(service);
      const [gone, made] = await Promise.all([
        admin.delete(`${PROJECTS}/${projectId}`),
        admin.post(`${PROJECTS}/${projectId}/apps`, { name: 'An app' }),
      ]);
      const outcomes = `${gone.outcome} and ${made.outcome}`;
      expect(outcomes).toMatch(/^(200 and 404 PROJECT_NOT_FOUND|409 PROJECT_NOT_EMPTY and 201)$/);
    }
  });
});

describe('an app', () => {
  it('is made in a project, read and renamed', async () => {
    const projectId = await makeProject(service);
    const made = await admin.post<{ data: { appId: string } }>(`${PROJECTS}/${projectId}/apps`, {
      name: 'Returns desk',
    });
    const { appId } = made.body.data;
    const data = {
      appId: expect.stringMatching(/^aa-[0-9A-Za-z]{22}$/) as string,
      projectId,
      name: 'Returns desk',
      createdAt: ISO,
    };
    expect(made.outcome).toBe('201');
    expect(made.body).toStrictEqual({ success: true, data, meta: META });

    const path = `${APPS}/${appId}`;
    expect((await admin.patch(path, { name: 'Sales' })).body).toMatchObject({
      data: { appId, projectId, name: 'Sales' },
    });
    expect((await admin.get(path)).body).toMatchObject({ data: { appId, projectId, name: 'Sales' } });
  });

  it('is deleted when it has no scopes, with its environments', async () => {
    const appId = await makeApp(service, await makeProject(service));
    expect((await admin.delete(`${APPS}/${appId}`)).outcome).toBe('200');
    expect((await admin.get(`${APPS}/${appId}`)).outcome).toBe('404 APP_NOT_FOUND');
    expect(await service.database.rows('select from environment where app_id = $1', [appId])).toHaveLength(0);
  });

  it('is not deleted while it has a scope', async () => {
    const { appId, scopeId } = await makeTenant(service);
    expect((await admin.delete(`${APPS}/${appId}`)).outcome).toBe('409 APP_NOT_EMPTY');
    expect((await admin.delete(`${APPS}/${appId}/scopes/${scopeId}`)).outcome).toBe('200');
    expect((await admin.delete(`${APPS}/${appId}`)).outcome).toBe('200');
  });

  it('keeps its scopes and keys where deleting it is refused', async () => {
    const { appId, api } = await makeTenant(service);
    await makeScope(service, appId);
    await admin.delete(`${APPS}/${appId}`);
    expect((await api.get('/api/public/me')).outcome).toBe('200');
  });
});

describe('the environments of an app', () => {
  const environmentsOf = async (appId: string) =>
    (await admin.get<{ data: { envId: string; name: string }[] }>(`${APPS}/${appId}/environments`)).body.data;

  it('are four from the start', async () => {
    const environments = await environmentsOf(await makeApp(service, await makeProject(service)));
    expect(environments.map(({ name }) => name).sort()).toEqual([
      'development',
      'production',
      'staging',
      'working-copy',
    ]);
    for (const { envId } of environments) expect(envId).toMatch(/^e-[0-9A-Za-z]{22}$/);
  });

  it.each(['production', 'Production', 'PRODUCTION', 'Working-Copy'])(
    'are found without regard to case: %s',
    async (name) => {
      const appId = await makeApp(service, await makeProject(service));
      const answer = await admin.get(`${APPS}/${appId}/environments/${name}`);
      const same = (await environmentsOf(appId)).find((environment) => environment.name === name.toLowerCase());
      expect(answer).toMatchObject({ outcome: '200', body: { data: same } });
    },
  );

  it('tell what is live in them', async () => {
    const { appId } = await makeTenant(service);
    const path = `${APPS}/${appId}/environments`;
    const none = { agentId: null, appVersionId: null };
    expect((await admin.get(`${path}/staging`)).body).toMatchObject({ data: none });

    const first = await makeActiveAgent(service, { appId }, {}, 'staging');
    const { agentId, versionId: appVersionId } = await makeActiveAgent(service, { appId }, {}, 'staging');
    const live = { name: 'staging', agentId, appVersionId };
    expect(agentId).not.toBe(first.agentId);
    expect((await admin.get(`${path}/Staging`)).body).toMatchObject({ data: live });
    const all = (await admin.get<{ data: { name: string }[] }>(path)).body.data;
    expect(all.find(({ name }) => name === 'staging')).toMatchObject(live);
    expect(all.find(({ name }) => name === 'production')).toMatchObject(none);

    expect((await activate(service, appId, agentId, { active: false }, 'staging')).outcome).toBe('200');
    expect((await admin.get(`${path}/staging`)).body).toMatchObject({ data: none });
  });

  it.each(['test', 'dev', 'prod', 'working_copy', 'production%20', '%00'])('are no others: %s', async (name) => {
    const appId = await makeApp(service, await makeProject(service));
    expect((await admin.get(`${APPS}/${appId}/environments/${name}`)).outcome).toBe('404 ENVIRONMENT_NOT_FOUND');
  });
});
