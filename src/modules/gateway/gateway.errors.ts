import { defineErrors } from '../../kernel/errors.js';
import { exampleId } from '../../kernel/ids.js';

export const gatewayErrors = defineErrors({
  modelNotFound: {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    message:
      'The project has no such model. GET /api/public/llm/v1/models lists the models that can be called, and GET /api/public/models the imported ones.',
  },
  modelNotDeployed: {
    status: 409,
    code: 'MODEL_NOT_DEPLOYED',
    message: 'The model {modelId} is {state}, and only deployed models can be called. Deploy it first.',
    example: { values: { state: 'READY_TO_DEPLOY', modelId: exampleId('model') } },
  },
  connectionInactive: {
    status: 409,
    code: 'CONNECTION_INACTIVE',
    message:
      'This connection is INACTIVE, so it is not called. Ask an administrator to activate it, or call another one.',
  },
  connectionUnreadable: {
    status: 409,
    code: 'CONNECTION_UNREADABLE',
    message:
      'The secrets of this connection cannot be read any more. Send all of them again, or create another connection.',
  },
  requestNotTaken: {
    status: 400,
    code: 'MODEL_REQUEST_NOT_TAKEN',
    message: 'This model {reason}. Change the request, or call another model.',
    example: { values: { reason: 'does not accept tools' }, details: { reason: 'does not accept tools' } },
  },
  modelCallFailed: {
    status: 502,
    code: 'MODEL_CALL_FAILED',
    message:
      'The provider of the model {reason}. The ledger has the call. If this continues and the model is a connection, test the connection.',
    example: { values: { reason: 'refused the key' }, details: { reason: 'refused the key', providerStatus: 401 } },
  },
  modelUnavailable: {
    status: 503,
    code: 'MODEL_UNAVAILABLE',
    message: 'The provider of the model {reason}. Send the request again after the seconds in Retry-After.',
    retryAfter: 10,
    example: {
      values: { reason: 'has failed several times in a row' },
      details: { reason: 'has failed several times in a row' },
    },
  },
});
