import type { Samples, World } from '../support/samples.js';
import { safetensors } from '../support/models/safetensors.js';
import { DEPLOYMENT, importModel } from './models.js';

export const samples: Samples = {
  'GET /api/public/models': () => ({}),
  'GET /api/public/models/{modelId}': async (world) => ({ params: await aModel(world) }),
  'POST /api/public/models/{modelId}/deploy': async (world) => ({
    params: await aModel(world),
    query: { modelType: 'openSource' },
    body: DEPLOYMENT,
  }),
  'POST /api/public/models/{modelId}/undeploy': async (world) => ({ params: await aDeployedModel(world) }),
  'POST /api/public/models/{modelId}/export': async (world) => ({ params: await aModel(world) }),

  'GET /api/admin/v1/projects/{projectId}/models': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'GET /api/admin/v1/projects/{projectId}/models/{modelId}': async (world) => ({ params: await ofProject(world) }),
  'GET /api/admin/v1/projects/{projectId}/models/{modelId}/versions': async (world) => ({
    params: await ofProject(world),
  }),
  'GET /api/admin/v1/projects/{projectId}/models/{modelId}/replicas': async (world) => ({
    params: await ofProject(world),
  }),
  'PATCH /api/admin/v1/projects/{projectId}/models/{modelId}': async (world) => ({
    params: await ofProject(world),
    body: { name: 'Renamed', isFineTuned: true },
  }),
  'DELETE /api/admin/v1/projects/{projectId}/models/{modelId}': async (world) => ({ params: await ofProject(world) }),
};

/** Imports a model of a format that no host serves, so that no request here starts an engine. */
export async function aModel({ tenant: { api } }: World): Promise<{ modelId: string }> {
  return { modelId: await importModel(api, { content: safetensors(), fileExtension: 'safetensors' }) };
}

/** Imports a model, and marks it as deployed without a deployment. */
async function aDeployedModel(world: World): Promise<{ modelId: string }> {
  const model = await aModel(world);
  await world.service.database.rows(`update model set state = 'DEPLOYED', deployments = 1 where id = $1`, [
    model.modelId,
  ]);
  return model;
}

async function ofProject(world: World): Promise<{ projectId: string; modelId: string }> {
  return { projectId: world.tenant.projectId, ...(await aModel(world)) };
}
