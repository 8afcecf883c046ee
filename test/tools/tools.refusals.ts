import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import type { Refusals, World } from '../support/samples.js';
import { deployedTool, execute, filesOf, importedTool, importTool, toolDocument, TOOLS, uploadJson } from './make.js';
import { aCallback, aRun } from './tools.samples.js';

export const refusals: Refusals = {
  TOOL_NOT_FOUND: ({ tenant }) => tenant.api.get(`${TOOLS}/${newId('tool')}`),
  CALLFLOW_NOT_FOUND: async ({ tenant }) => {
    const query = { flowId: 'another' };
    return tenant.api.post(`${TOOLS}/${await importedTool(tenant)}/export`, undefined, { query });
  },
  TOOL_VERSION_NOT_FOUND: async ({ service, tenant }) => {
    const path = `/api/admin/v1/projects/${tenant.projectId}/tools/${await importedTool(tenant)}/roll-back`;
    return administratorOf(service).post(path, { versionId: newId('toolVersion') });
  },
  RUN_NOT_FOUND: async ({ tenant }) =>
    tenant.api.get(`${TOOLS}/${await importedTool(tenant)}/runs/${newId('toolRun')}`),
  SCHEMA_NOT_FOUND: ({ service }) => new Client(service.url).get('/api/public/schemas/tool/other'),
  TOOL_FILE_UNSUITABLE: async ({ tenant }) => {
    const flowDataFileId = await uploadJson(tenant, 'a,b', 'table.csv');
    return tenant.api.post(`${TOOLS}/import`, { toolName: 'A tool', ...(await filesOf(tenant)), flowDataFileId });
  },
  TOOL_NOT_READY: async ({ tenant }) => {
    const { toolId } = await importTool(tenant, { flow: {} });
    return tenant.api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: true });
  },
  TOOL_NOT_DEPLOYED: async ({ tenant }) => execute(tenant, await importedTool(tenant)),
  TOOL_DEPLOYED: async ({ service, tenant }) => {
    const path = `/api/admin/v1/projects/${tenant.projectId}/tools/${await deployedTool(tenant)}`;
    return administratorOf(service).delete(path);
  },
  TOOL_INPUT_INVALID: async ({ tenant }) => {
    const tool = toolDocument({ inputSchema: { type: 'object', required: ['city'] } });
    return execute(tenant, await deployedTool(tenant, { tool }));
  },
  RUN_ENDED: async (world) => {
    const { toolId, runId } = await aRun(world);
    return world.tenant.api.post(`${TOOLS}/${toolId}/runs/${runId}/cancel`);
  },
  CALLBACK_SIGNATURE_INVALID: async (world) => {
    const callback = await aCallback(world);
    return send(world, { ...callback, signature: `sha256=${'0'.repeat(64)}` });
  },
  CALLBACK_EXPIRED: async (world) => {
    const callback = await aCallback(world);
    await world.service.database.rows(
      `update tool_run set state = 'failed', suspended_until = null, error_code = 'X', ended_at = now() where id = $1`,
      [callback.runId],
    );
    return send(world, callback);
  },
};

interface Callback {
  callbackId: string;
  payload: string;
  signature: string;
}

function send({ service }: World, { callbackId, payload, signature }: Callback): Promise<Answer> {
  const headers = { 'x-callback-signature': signature };
  return new Client(service.url).send('POST', `/api/v1/callbacks/${callbackId}`, { rawBody: payload, headers });
}
