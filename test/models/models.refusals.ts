import { ask } from '../gateway/calls.js';
import { administratorOf } from '../support/actors.js';
import type { Refusals, World } from '../support/samples.js';
import { deploy, importModel } from './models.js';
import { aModel } from './models.samples.js';

const administered = ({ tenant: { projectId } }: World, modelId: string) =>
  `/api/admin/v1/projects/${projectId}/models/${modelId}`;

export const refusals: Refusals = {
  MODEL_TYPE_MISMATCH: async (world) => deploy(world.tenant.api, (await aModel(world)).modelId, {}, 'fineTune'),
  DATASET_NOT_DEPLOYABLE: async ({ tenant: { api } }) => {
    const upload = { fileContext: 'dataset', fileExtension: 'txt', content: Buffer.from('one') };
    return deploy(api, await importModel(api, upload));
  },
  MODEL_NEVER_DEPLOYED: async (world) =>
    deploy(world.tenant.api, (await aModel(world)).modelId, { isDeployedPreviously: true }),
  MODEL_NOT_READY: async (world) => {
    const { modelId } = await aModel(world);
    await world.service.database.rows(`update model set state = 'IMPORTING' where id = $1`, [modelId]);
    return deploy(world.tenant.api, modelId);
  },
  MODEL_NOT_DEPLOYED: async (world) => ask(world.tenant, (await aModel(world)).modelId),
  MODEL_IN_USE: async (world) => {
    const { modelId } = await aModel(world);
    await world.service.database.rows(`update model set state = 'DEPLOYED' where id = $1`, [modelId]);
    return administratorOf(world.service).delete(administered(world, modelId));
  },
  MODEL_CONTENT_GONE: async (world) => {
    const { modelId } = await aModel(world);
    await world.service.database.rows('update model set file_id = null where id = $1', [modelId]);
    return deploy(world.tenant.api, modelId);
  },
};
