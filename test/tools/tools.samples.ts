import { createHmac } from 'node:crypto';
import type { Id } from '../../src/kernel/ids.js';
import { Suspensions } from '../../src/modules/tools/callbacks/suspensions.js';
import { Database } from '../../src/platform/database/database.js';
import { makeKeyWith } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import type { Samples, World } from '../support/samples.js';
import { deployedTool, execute, filesOf, flowOf, importedTool, runOf } from './make.js';

const PUBLIC = '/api/public/tools';
const ADMIN = '/api/admin/v1/projects/{projectId}/tools';
const INPUT = { city: 'Oslo' };

export const samples: Samples = {
  [`GET ${PUBLIC}`]: () => ({ query: { limit: '2', offset: '0' } }),
  [`GET ${PUBLIC}/{toolId}`]: async ({ tenant }: World) => ({ params: { toolId: await importedTool(tenant) } }),
  [`POST ${PUBLIC}/import`]: async ({ tenant }: World) => ({
    body: { toolName: 'A tool', ...(await filesOf(tenant)) },
  }),
  [`POST ${PUBLIC}/{toolId}/import`]: async ({ tenant }: World) => ({
    params: { toolId: await importedTool(tenant) },
    body: { toolName: 'A tool', ...(await filesOf(tenant)) },
  }),
  [`POST ${PUBLIC}/{toolId}/export`]: async ({ tenant }: World) => ({
    params: { toolId: await importedTool(tenant) },
    query: { flowId: 'main' },
  }),
  [`POST ${PUBLIC}/{toolId}/deploy`]: async ({ tenant }: World) => ({
    params: { toolId: await importedTool(tenant) },
    body: { isAsync: true },
  }),
  [`POST ${PUBLIC}/{toolId}/undeploy`]: async ({ tenant }: World) => ({
    params: { toolId: await deployedTool(tenant) },
  }),
  [`POST ${PUBLIC}/{toolId}/execute`]: async ({ tenant }: World) => ({
    params: { toolId: await deployedTool(tenant) },
    body: { input: INPUT },
  }),
  [`GET ${PUBLIC}/{toolId}/runs`]: async ({ tenant }: World) => ({ params: { toolId: await importedTool(tenant) } }),
  [`GET ${PUBLIC}/{toolId}/runs/{runId}`]: async (world: World) => ({ params: await aRun(world) }),
  [`POST ${PUBLIC}/{toolId}/runs/{runId}/cancel`]: async (world: World) => ({
    params: await aRun(world, flowOf([{ id: 'wait', type: 'wait' }])),
  }),
  'POST /api/v1/callbacks/{callbackId}': async (world) => {
    const { callbackId, payload, signature } = await aCallback(world);
    return {
      params: { callbackId },
      body: JSON.parse(payload) as unknown,
      headers: { 'x-callback-signature': signature },
    };
  },
  'GET /api/public/schemas/tool/{name}': () => ({ params: { name: 'flow' } }),

  [`GET ${ADMIN}`]: ({ tenant: { projectId } }: World) => ({ params: { projectId } }),
  [`GET ${ADMIN}/{toolId}`]: async (world: World) => ({ params: await ofProject(world) }),
  [`GET ${ADMIN}/{toolId}/versions`]: async (world: World) => ({ params: await ofProject(world) }),
  [`GET ${ADMIN}/{toolId}/versions/{versionId}`]: async (world: World) => {
    const params = await ofProject(world);
    return { params: { ...params, versionId: await versionOf(world, params.toolId) } };
  },
  [`POST ${ADMIN}/{toolId}/roll-back`]: async (world: World) => {
    const params = await ofProject(world);
    return { params, body: { versionId: await versionOf(world, params.toolId) } };
  },
  [`DELETE ${ADMIN}/{toolId}`]: async (world: World) => ({ params: await ofProject(world) }),
};

async function ofProject({ tenant }: World): Promise<{ projectId: string; toolId: string }> {
  return { projectId: tenant.projectId, toolId: await importedTool(tenant) };
}

async function versionOf({ service }: World, toolId: string): Promise<string> {
  const query = 'select id from tool_version where tool_id = $1';
  const [version] = await service.database.rows<{ id: string }>(query, [toolId]);
  return version!.id;
}

/** Starts a run with a key that has the permission, because the key of the sample may lack it. */
export async function aRun({ service, tenant }: World, flow = flowOf([])): Promise<{ toolId: string; runId: string }> {
  const { api } = await makeKeyWith(service, tenant, ['RUN_API']);
  const may = { ...tenant, api };
  const toolId = await deployedTool(may, { flow });
  const { body } = await execute(may, toolId, INPUT);
  await eventually(async () => (await runOf(may, toolId, body.runId)).status !== 'running');
  return { toolId, runId: body.runId };
}

/** Returns a signed callback as an outside system sends it to a suspended run. */
export async function aCallback({ service, tenant }: World, payload = '{"approved":true}') {
  const { runId } = await aRun({ service, tenant }, flowOf([{ id: 'wait', type: 'wait' }]));
  const suspensions = service.app.get(Suspensions);
  const { id, secret } = await service.app.get(Database).apart(() => suspensions.open(runId as Id<'toolRun'>, 1));
  const signature = `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`;
  return { callbackId: id, payload, signature, runId };
}
