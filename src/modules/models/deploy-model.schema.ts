import { z } from 'zod';
import { isId } from '../../kernel/ids.js';
import { displayName } from '../../kernel/schema.js';
import { MODEL_TYPES } from './model.entity.js';

export const DEVICE_TYPES = [
  'g4dn.xlarge',
  'g5.xlarge',
  'g5.2xlarge',
  'g6e.xlarge',
  'g4dn.12xlarge',
  'g5.12xlarge',
  'g5.48xlarge',
  'g4dn.metal',
] as const;

const between = (min: number, max: number) => z.number().min(min).max(max);
const wholeBetween = (min: number, max: number) => z.int().min(min).max(max);

export const HyperParameters = z
  .strictObject({
    temperature: between(0, 2).describe('The value for calls that send none, and the maximum for calls that send one.'),
    maxTokens: wholeBetween(0, 512).describe(
      'The maximum number of tokens of an answer. With 0, the call and the model decide.',
    ),
    topP: between(0, 1).describe('The value for calls that send none, and the maximum for calls that send one.'),
    topK: wholeBetween(1, 100).describe('The value for calls that send none, and the maximum for calls that send one.'),
    stopSequence: z
      .array(z.string().min(1).max(128))
      .max(16)
      .optional()
      .describe('The texts at which answers end, in addition to those that a call sends.'),
  })
  .meta({ examples: [{ temperature: 0.7, maxTokens: 256, topP: 0.9, topK: 40, stopSequence: ['</s>'] }] });
export type HyperParameters = z.infer<typeof HyperParameters>;

export const ScalingParameters = z.strictObject({
  maxBatchSize: wholeBetween(1, 256)
    .default(4)
    .describe('The number of answers that a replica writes at the same time.'),
  minReplicas: wholeBetween(1, 10).default(1),
  maxReplicas: wholeBetween(1, 50).optional().describe('The maximum number of replicas. The default is minReplicas.'),
  scaleUpDelay: wholeBetween(1, 1000)
    .default(500)
    .describe('The milliseconds for which calls wait before a replica is added.'),
  scaleDownDelay: wholeBetween(50, 2000)
    .default(2000)
    .describe('The milliseconds for which fewer replicas would have sufficed before one is removed.'),
});

export interface ScalingParameters {
  maxBatchSize: number;
  minReplicas: number;
  maxReplicas: number;
  scaleUpDelay: number;
  scaleDownDelay: number;
}

export const OptimizationInfo = z
  .looseObject({
    optimizationType: z.enum(['ctranslate2', 'vllm', '']).optional(),
    quantizationType: z.enum(['no_quantization', 'int8_float16', '']).optional(),
  })
  .describe('Stored and shown, but without effect on the local host. Hosts with such engines may use it.');
export type OptimizationInfo = z.infer<typeof OptimizationInfo>;

export const DeployModel = z
  .strictObject({
    name: displayName
      .refine((name) => !isId('model', name), 'must not be the id of a model')
      .describe('The name of the deployment. Calls can use it instead of the id of the model.')
      .meta({ examples: ['support-bot'] }),
    isDeployedPreviously: z
      .boolean()
      .default(false)
      .describe('Whether the model was deployed before. `true` is refused if it was not.'),
    hyperParameters: HyperParameters,
    scalingParameters: ScalingParameters.default({
      maxBatchSize: 4,
      minReplicas: 1,
      scaleUpDelay: 500,
      scaleDownDelay: 2000,
    })
      .refine(({ minReplicas, maxReplicas = minReplicas }) => minReplicas <= maxReplicas, {
        path: ['minReplicas'],
        message: 'must be at most maxReplicas',
      })
      .transform((given): ScalingParameters => ({ ...given, maxReplicas: given.maxReplicas ?? given.minReplicas })),
    deviceType: z
      .enum(DEVICE_TYPES)
      .describe('Stored and shown, but without effect on the local host, which uses its own device.'),
    optimizationInfo: OptimizationInfo.optional(),
  })
  .meta({
    id: 'DeployModel',
    examples: [
      {
        name: 'support-bot',
        isDeployedPreviously: false,
        hyperParameters: { temperature: 0.7, maxTokens: 256, topP: 0.9, topK: 40, stopSequence: [] },
        scalingParameters: {
          maxBatchSize: 4,
          minReplicas: 1,
          maxReplicas: 2,
          scaleUpDelay: 500,
          scaleDownDelay: 2000,
        },
        deviceType: 'g4dn.xlarge',
        optimizationInfo: { optimizationType: '', quantizationType: '' },
      },
    ],
  });
export type DeployModel = z.output<typeof DeployModel>;

export const DeployQuery = z.strictObject({
  modelType: z
    .enum(MODEL_TYPES)
    .describe(
      'The kind of the model: `fineTune` for adapters and models marked as fine-tuned, `openSource` for base models.',
    )
    .meta({ examples: ['openSource'] }),
});
export type DeployQuery = z.infer<typeof DeployQuery>;
