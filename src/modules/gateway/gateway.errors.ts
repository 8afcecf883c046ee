import { defineErrors } from '../../kernel/errors.js';
import { exampleId } from '../../kernel/ids.js';

export const gatewayErrors = defineErrors({
  modelNotFound: {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    message:
      'The project has no such model. GET /api/public/llm/v1/models lists those that can be called, GET /api/public/models those that were imported.',
  },
  modelNotDeployed: {
    status: 409,
    code: 'MODEL_NOT_DEPLOYED',
    message: 'The model {modelId} is {state}, and only deployed ones are called. Deploy it first.',
    example: { values: { state: 'READY_TO_DEPLOY', modelId: exampleId('model') } },
  },
  connectionInactive: {
    status: 409,
    code: 'CONNECTION_INACTIVE',
    message: 'This connection is INACTIVE and is not called. An administrator makes it ACTIVE; or call another one.',
  },
  connectionUnreadable: {
    status: 409,
    code: 'CONNECTION_UNREADABLE',
    message:
      'The secrets of this connection cannot be read any more. Send all of them anew, or create another connection.',
  },
  requestNotTaken: {
    status: 400,
    code: 'MODEL_REQUEST_NOT_TAKEN',
    message: 'This model {reason}. Change the request, or call another model.',
    example: { values: { reason: 'takes no tools' }, details: { reason: 'takes no tools' } },
  },
  modelCallFailed: {
    status: 502,
    code: 'MODEL_CALL_FAILED',
    message:
      'The provider of the model {reason}. The call is in the ledger; where it is a connection, test it if this goes on.',
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
