import { administratorOf, makeKey, makeKeyWith, makeTenant } from '../support/actors.js';
import { type Answer, type Client, faultsAt } from '../support/client.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { untilRunning } from '../support/running.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { deploy, deployed, ended as endedModel, importModel, MODELS, read, undeploy } from '../models/models.js';
import {
  deployedTool,
  DOCK,
  type DockBody,
  ended,
  envOf,
  execute,
  filesOf,
  flowOf,
  importedTool,
  TOOLS,
} from '../tools/make.js';

const service = await startService();
const administrator = administratorOf(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const stranger = await withPermissions('SESSIONS_LIST');
const manager = await withPermissions('DOCK_MANAGE');

/** Returns the tenant with a key of another scope of the same app. */
async function withPermissions(...permissions: Parameters<typeof makeKeyWith>[2]) {
  return { ...tenant, ...(await makeKeyWith(service, tenant, permissions)) };
}

const SECRET = [{ name: 'SECRET', value: 'very-secret-value', secret: true }];
const EMPTIED = [{ name: 'SECRET', value: '', secret: true }];
/** A flow that returns the length of the secret, because its text would be masked. */
const measuring = flowOf([{ id: 'measure', type: 'script', code: 'return env.SECRET.length;' }]);
const elsewhere = flowOf([{ id: 'measure', type: 'script', code: 'return 100 + env.SECRET.length;' }]);

type Caller = Pick<typeof tenant, 'api'>;
type Operation = (caller: Caller, toolId: string) => Promise<Answer<DockBody>>;

const deployTool: Operation = ({ api }, toolId) => api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: false });
const undeployTool: Operation = ({ api }, toolId) => api.post(`${TOOLS}/${toolId}/undeploy`);
const exportTool: Operation = ({ api }, toolId) => {
  return api.post(`${TOOLS}/${toolId}/export`, undefined, { query: { flowId: 'main' } });
};
async function importInto(caller: typeof tenant, toolId: string, variables: typeof SECRET) {
  const files = await filesOf(caller, { flow: elsewhere, env: envOf(variables) });
  return caller.api.post<DockBody>(`${TOOLS}/${toolId}/import`, files);
}

const REFUSED = {
  outcome: '403 PERMISSION_DENIED',
  body: {
    required: ['DOCK_MANAGE'],
    error: { message: expect.stringContaining('a key of the scope that made it, or with DOCK_MANAGE.') as string },
  },
};

describe('a tool of another scope', () => {
  it('keeps its flow and its secret from a key without the permission', async () => {
    const toolId = await deployedTool(tenant, { flow: measuring, env: envOf(SECRET) });
    const { body } = await stranger.api.get<{ tools: { toolId: string }[] }>(TOOLS);
    expect(body.tools.map((tool) => tool.toolId)).toContain(toolId);
    expect(await importInto(stranger, toolId, EMPTIED)).toMatchObject(REFUSED);
    expect(await importInto(stranger, toolId, SECRET)).toMatchObject(REFUSED);
    for (const operation of [deployTool, undeployTool, exportTool]) {
      expect(await operation(stranger, toolId)).toMatchObject(REFUSED);
    }
    expect((await execute(tenant, toolId)).body.output).toBe(17);
  });

  it('is deployed, undeployed and exported with DOCK_MANAGE, which APP_FULL implies', async () => {
    for (const caller of [manager, await withPermissions('APP_FULL')]) {
      const toolId = await importedTool(tenant);
      expect((await deployTool(caller, toolId)).body.status).toBe('SUCCESS');
      expect((await undeployTool(caller, toolId)).outcome).toBe('200');
      expect((await ended(caller, (await exportTool(caller, toolId)).body)).response).toHaveProperty('downloadUrl');
    }
  });

  it('accepts a version of another scope with new secrets, and never with the secrets of its own scope', async () => {
    const toolId = await importedTool(tenant, { flow: measuring, env: envOf(SECRET) });
    const refused = await ended(tenant, (await importInto(manager, toolId, EMPTIED)).body);
    expect(refused.error).toMatchObject({
      code: 'SECRET_OF_ANOTHER_SCOPE',
      message: expect.stringMatching(/SECRET has no value.*Send the values/) as string,
    });
    const ownSecret = [{ name: 'SECRET', value: 'its own', secret: true }];
    expect(await ended(manager, (await importInto(manager, toolId, ownSecret)).body)).toMatchObject({
      status: 'SUCCESS',
    });
    await deployTool(manager, toolId);
    expect((await execute(tenant, toolId)).body.output).toBe(107);
    // The first scope does not get the secret of the second one either.
    const back = await ended(tenant, (await importInto(tenant, toolId, EMPTIED)).body);
    expect(back.error?.code).toBe('SECRET_OF_ANOTHER_SCOPE');
  });

  it('is refused without the permission if its scope is not known, and its secrets are not kept', async () => {
    const toolId = await importedTool(tenant, { env: envOf(SECRET) });
    await service.database.rows('update tool set scope_id = null where id = $1', [toolId]);
    await service.database.rows('update tool_version set scope_id = null where tool_id = $1', [toolId]);
    expect(await deployTool(stranger, toolId)).toMatchObject(REFUSED);
    expect((await deployTool(tenant, toolId)).body.status).toBe('SUCCESS');
    const job = await ended(tenant, (await importInto(tenant, toolId, EMPTIED)).body);
    expect(job.error?.code).toBe('SECRET_OF_ANOTHER_SCOPE');
  });
});

describe('a tool of the own scope', () => {
  it('is changed, deployed, exported and undeployed with any key of the scope, and keeps its secrets', async () => {
    const own = await withPermissions('SESSIONS_LIST', 'RUN_API');
    const toolId = await importedTool(own, { flow: measuring, env: envOf(SECRET) });
    const other = { ...own, ...(await makeKey(service, tenant.appId, own.scopeName)) };
    const imported = await ended(other, (await importInto(other, toolId, EMPTIED)).body);
    expect(imported.status).toBe('SUCCESS');
    expect((await deployTool(other, toolId)).body.status).toBe('SUCCESS');
    expect((await execute(other, toolId)).body.output).toBe(117);
    expect((await ended(own, (await exportTool(other, toolId)).body)).response).toHaveProperty('downloadUrl');
    expect((await undeployTool(other, toolId)).outcome).toBe('200');
  });
});

describe('the link to an export', () => {
  it('is shown to keys that may export the tool, and the status to every key', async () => {
    const job = await ended(tenant, (await exportTool(tenant, await importedTool(tenant))).body);
    const seenBy = async ({ api }: { api: Client }) => {
      const { body } = await api.get<DockBody>(`${DOCK}/${job.dockStatusId}`);
      const { text } = await api.get(`${DOCK}/${job.dockStatusId}/events`);
      expect(body.status).toBe('SUCCESS');
      return ['downloadUrl' in body.response!, text.includes('downloadUrl')];
    };
    expect(await seenBy(tenant)).toEqual([true, true]);
    expect(await seenBy(manager)).toEqual([true, true]);
    expect(await seenBy(stranger)).toEqual([false, false]);
  });
});

it('a key that loses the permission while its request arrives is refused', async () => {
  const toolId = await importedTool(tenant);
  const other = await withPermissions('DOCK_MANAGE');
  const path = `${TOOLS}/${toolId}/deploy`;
  const running = openRequest(service.url, { verb: 'POST', path, key: other.key, begin: '{"isAsync":' });
  await untilRunning(service, other.keyId);
  const scope = `/api/admin/v1/apps/${tenant.appId}/scopes/${other.scopeId}`;
  await administrator.patch(scope, { permissions: { DOCK_MANAGE: 'NO' } });
  running.finish('true}');
  expect((await running.answer).outcome).toBe('403 PERMISSION_DENIED');
});

describe('a model', () => {
  it('of another scope is deployed, exported and undeployed only with the permission', async () => {
    const modelId = await importModel(tenant.api);
    const exportModel = (api: Client) => api.post<DockBody>(`${MODELS}/${modelId}/export`);
    expect(await deploy(stranger.api, modelId)).toMatchObject(REFUSED);
    expect(await exportModel(stranger.api)).toMatchObject(REFUSED);
    expect(await undeploy(stranger.api, modelId)).toMatchObject(REFUSED);
    expect((await exportModel(manager.api)).body.response).toHaveProperty('downloadUrl');
    const started = await deploy(manager.api, modelId);
    expect(started.outcome).toBe('200');
    expect((await endedModel(manager.api, started.body)).status).toBe('SUCCESS');
    expect((await undeploy(manager.api, modelId)).outcome).toBe('200');
  });

  it('of the own scope is exported and deployed without the permission', async () => {
    const modelId = await importModel(stranger.api);
    expect((await stranger.api.post(`${MODELS}/${modelId}/export`)).outcome).toBe('200');
    const started = await deploy(stranger.api, modelId);
    expect((await endedModel(stranger.api, started.body)).status).toBe('SUCCESS');
    expect((await undeploy(stranger.api, modelId)).outcome).toBe('200');
  });

  it('takes the name of a deployment of another scope only with the permission', async () => {
    const name = 'taken';
    const first = await deployed(tenant.api, await importModel(tenant.api), { name });
    const own = await importModel(stranger.api);
    const refused = await deploy(stranger.api, own, { name });
    expect(refused).toMatchObject({ outcome: REFUSED.outcome, body: { required: ['DOCK_MANAGE'] } });
    expect(refused.text).toContain('of the scope that made the deployment that has this name');
    await deployed(manager.api, await importModel(manager.api), { name });
    await undeploy(tenant.api, first);
    expect((await deploy(stranger.api, own, { name: `${name} too` })).outcome).toBe('200');
  });

  it('is not named like another model', async () => {
    const modelId = await importModel(tenant.api);
    expect(await deploy(tenant.api, modelId, { name: modelId })).toMatchObject(faultsAt('name'));
  });

  it('that is an adapter is served over the base of its own scope, though another scope has a newer one', async () => {
    const base = { content: tinyModel({ name: 'common' }) };
    const baseModelId = await importModel(tenant.api, base);
    await importModel(stranger.api, base);
    const adapter = await importModel(tenant.api, { content: tinyAdapter({ baseModel: 'common' }) });
    await deployed(tenant.api, adapter, { name: 'adapted' }, 'fineTune');
    expect((await read(tenant.api, adapter)).deployment).toMatchObject({ baseModelId });
  });
});
