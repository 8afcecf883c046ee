import { z } from 'zod';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { DEPLOYMENT_STATES, ModelDeployment } from './model-deployment.entity.js';

export const modelDeploymentList = defineList(ModelDeployment, {
  sorts: { createdAt: 'id', version: 'number', name: 'name' },
  filters: { state: z.enum(DEPLOYMENT_STATES) },
});
export type ModelDeploymentsRequest = RequestOf<typeof modelDeploymentList>;
