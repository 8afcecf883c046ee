import { exampleId } from '../../kernel/ids.js';
import { defineErrors } from '../../kernel/errors.js';

export const modelsErrors = defineErrors({
  modelTypeMismatch: {
    status: 400,
    code: 'MODEL_TYPE_MISMATCH',
    message: 'This is {what}. Deploy it with modelType={fitting}.',
    example: { values: { what: 'an adapter', fitting: 'fineTune' } },
  },
  datasetNotDeployed: {
    status: 400,
    code: 'DATASET_NOT_DEPLOYABLE',
    message: 'This is a dataset, and datasets cannot be deployed. Deploy a model.',
  },
  neverDeployed: {
    status: 400,
    code: 'MODEL_NEVER_DEPLOYED',
    message: 'This model was never deployed before. Send isDeployedPreviously: false, or leave it out.',
  },
  modelNotReady: {
    status: 409,
    code: 'MODEL_NOT_READY',
    message: 'The model is {state}, but it has to be {needed}. GET /api/public/models/{modelId} shows its state.',
    example: { values: { state: 'IMPORTING', needed: 'READY_TO_DEPLOY', modelId: exampleId('model') } },
  },
  modelInUse: {
    status: 409,
    code: 'MODEL_IN_USE',
    message:
      'The model {reason}. Undeploy the deployment that uses it, or wait for its import (an upload can be abandoned), then delete it.',
    example: { values: { reason: 'is DEPLOYED' } },
  },
  contentGone: {
    status: 409,
    code: 'MODEL_CONTENT_GONE',
    message: 'The file of this model was deleted. Import it again, as another model.',
  },
});
