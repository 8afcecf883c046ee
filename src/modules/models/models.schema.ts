import { z } from 'zod';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import { Facts } from './contents/facts.js';
import { DEVICE_TYPES, HyperParameters, OptimizationInfo } from './deploy-model.schema.js';
import { type Model, MODEL_KINDS, MODEL_STATES, MODEL_TYPES } from './model.entity.js';
import { DEPLOYMENT_STATES, type ModelDeployment } from './model-deployment.entity.js';
import type { ReplicaState } from './model-replica.repository.js';

const Failure = z.object({ code: z.string(), message: z.string() }).meta({
  examples: [{ code: 'MODEL_FILE_TRUNCATED', message: 'The file ends within its header. Upload all of it.' }],
});

const count = z.int().min(0);

export const DeploymentView = z
  .object({
    deploymentId: id('modelDeployment'),
    version: count.describe('The number of this deployment of the model, from 1.').meta({ examples: [1] }),
    name: displayName.meta({ examples: ['support-bot'] }),
    modelType: z.enum(MODEL_TYPES),
    state: z.enum(DEPLOYMENT_STATES).meta({ examples: ['LIVE'] }),
    hyperParameters: HyperParameters,
    scalingParameters: z
      .object({
        maxBatchSize: count,
        minReplicas: count,
        maxReplicas: count,
        scaleUpDelay: count,
        scaleDownDelay: count,
      })
      .meta({
        examples: [{ maxBatchSize: 4, minReplicas: 1, maxReplicas: 2, scaleUpDelay: 500, scaleDownDelay: 2000 }],
      }),
    deviceType: z.enum(DEVICE_TYPES),
    optimizationInfo: OptimizationInfo.optional(),
    baseModelId: id('model').optional().describe('The base model that the adapter changes. Only adapters have one.'),
    host: z
      .string()
      .optional()
      .describe('The host that serves the deployment.')
      .meta({ examples: ['local'] }),
    error: Failure.optional().describe('The error of a failed deployment.'),
    createdAt: timestamp,
    liveFrom: timestamp.optional(),
    liveUntil: timestamp.optional(),
  })
  .meta({ id: 'ModelDeployment' });
export type DeploymentView = z.infer<typeof DeploymentView>;

export const ModelView = z
  .object({
    modelId: id('model'),
    name: displayName.meta({ examples: ['llama-2-7b-chat'] }),
    kind: z.enum(MODEL_KINDS),
    modelType: z
      .enum(MODEL_TYPES)
      .optional()
      .describe('The `modelType` with which to deploy the model. Datasets have none.'),
    state: z.enum(MODEL_STATES).meta({ examples: ['DEPLOYED'] }),
    isFineTuned: z.boolean().meta({ examples: [false] }),
    fileId: id('file').optional(),
    fileName: z.string().meta({ examples: ['llama-2-7b-chat.gguf'] }),
    fileSize: z.number().meta({ examples: [4_081_004_224] }),
    facts: Facts.optional().describe('The facts that the import found in the file.'),
    error: Failure.optional().describe('The error of a failed import.'),
    deployments: count.describe('The number of deployments of the model so far.').meta({ examples: [1] }),
    deployment: DeploymentView.optional().describe('The deployment that is starting or live.'),
    createdAt: timestamp,
    changedAt: timestamp,
  })
  .meta({ id: 'Model' });
export type ModelView = z.infer<typeof ModelView>;

const ReplicaView = z
  .object({
    replicaId: id('modelReplica'),
    deploymentId: id('modelDeployment'),
    host: z
      .string()
      .describe('The kind of host.')
      .meta({ examples: ['local'] }),
    process: z
      .string()
      .describe('The process of the service that started the replica.')
      .meta({ examples: ['h-0VJ8kQ2xT4bN7mRw1ZcYp3'] }),
    state: z
      .enum(['READY', 'LOST'])
      .describe('READY if it answers calls, or LOST if the process that started it has died.'),
    startedAt: timestamp,
  })
  .meta({ id: 'ModelReplica' });

export const ReplicaList = z.array(ReplicaView);

export const ImportedModels = z
  .object({
    models: z.array(ModelView),
    total: count.describe('The number of all models and datasets of the project.').meta({ examples: [1] }),
  })
  .meta({ id: 'ImportedModels' });

export const ChangeModel = z
  .strictObject({
    name: displayName.optional(),
    isFineTuned: z
      .boolean()
      .optional()
      .describe('Whether the model is deployed as `fineTune` although it is not an adapter.'),
  })
  .meta({ id: 'ChangeModel', examples: [{ isFineTuned: true }] });
export type ChangeModel = z.infer<typeof ChangeModel>;

export const ModelGone = z.object({ modelId: id('model') }).meta({ id: 'ModelGone' });

export function toModelView(model: Model, deployment: ModelDeployment | null): ModelView {
  return {
    modelId: model.id,
    name: model.name,
    kind: model.kind,
    ...(model.kind !== 'dataset' && { modelType: model.modelType }),
    state: model.state,
    isFineTuned: model.isFineTuned,
    ...(model.file && { fileId: model.file.id }),
    fileName: model.fileName,
    fileSize: model.size,
    ...(model.facts && { facts: model.facts }),
    ...(model.failure && { error: model.failure }),
    deployments: model.deployments,
    ...(deployment && { deployment: toDeploymentView(deployment) }),
    createdAt: model.createdAt.toISOString(),
    changedAt: model.changedAt.toISOString(),
  };
}

export function toDeploymentView(deployment: ModelDeployment): DeploymentView {
  const { optimizationInfo, baseModel, host, failure, liveFrom, liveUntil } = deployment;
  return {
    deploymentId: deployment.id,
    version: deployment.number,
    name: deployment.name,
    modelType: deployment.modelType,
    state: deployment.state,
    hyperParameters: deployment.hyperParameters,
    scalingParameters: deployment.scalingParameters,
    deviceType: deployment.deviceType as DeploymentView['deviceType'],
    ...(optimizationInfo && { optimizationInfo }),
    ...(baseModel && { baseModelId: baseModel.id }),
    ...(host && { host }),
    ...(failure && { error: failure }),
    createdAt: deployment.createdAt.toISOString(),
    ...(liveFrom && { liveFrom: liveFrom.toISOString() }),
    ...(liveUntil && { liveUntil: liveUntil.toISOString() }),
  };
}

export function toReplicaView(replica: ReplicaState): z.infer<typeof ReplicaView> {
  return {
    replicaId: replica.id,
    deploymentId: replica.deploymentId,
    host: replica.host,
    process: replica.processId,
    state: replica.isAlive ? 'READY' : 'LOST',
    startedAt: replica.startedAt.toISOString(),
  };
}
