import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ownId } from '../../kernel/schema.js';

const model = z.object({ modelId: ownId('model'), projectId: ownId('project') });

export const ModelDeployed = defineEvent(
  'model.deployed',
  model.extend({ deploymentId: ownId('modelDeployment') }).describe('A model was deployed, and answers calls.'),
);
export type ModelDeployed = PayloadOf<typeof ModelDeployed>;

export const ModelUndeployed = defineEvent('model.undeployed', model.describe('A model was undeployed.'));
export type ModelUndeployed = PayloadOf<typeof ModelUndeployed>;
