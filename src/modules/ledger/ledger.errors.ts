import { defineErrors } from '../../kernel/errors.js';
import { exampleId } from '../../kernel/ids.js';

export const ledgerErrors = defineErrors({
  callNotFound: {
    status: 404,
    code: 'CALL_NOT_FOUND',
    message:
      'The ledger of the project has no call with this id. Send the whole `id`, percent-encoded. Old calls are deleted.',
  },
  modelPriceNotFound: {
    status: 404,
    code: 'MODEL_PRICE_NOT_FOUND',
    message: 'The project has no such price of its own. The list of its prices has the ids.',
  },
  duplicateModelPrice: {
    status: 409,
    code: 'DUPLICATE_MODEL_PRICE',
    message: 'The project already has a price for this model of this provider. Change or delete that one.',
    unique: 'model_price_of',
  },
  invalidFilter: {
    status: 400,
    code: 'INVALID_FILTER',
    message: 'These filters are empty: {names}. Give each a value, or leave it out to find all.',
    example: { values: { names: 'channel' } },
  },
  invalidStatus: {
    status: 400,
    code: 'INVALID_STATUS',
    message: 'The filter status accepts success or failed. Leave it out to find both.',
  },
  repricingNotFound: {
    status: 404,
    code: 'REPRICING_NOT_FOUND',
    message:
      'The project has no such repricing. The request that starts a repricing answers its id. Repricings are deleted after 90 days.',
  },
  linkInvalid: {
    status: 403,
    code: 'LEDGER_LINK_INVALID',
    message:
      'This link was not made by this service, or was changed. POST /api/public/analytics/projects/{projectId}/llm-ledger/export-links answers a valid one.',
    example: { values: { projectId: exampleId('project') } },
  },
  linkExpired: {
    status: 403,
    code: 'LEDGER_LINK_EXPIRED',
    message:
      'This link has expired. POST /api/public/analytics/projects/{projectId}/llm-ledger/export-links answers a new one.',
    example: { values: { projectId: exampleId('project') } },
  },
  tooManyIntervals: {
    status: 400,
    code: 'TOO_MANY_INTERVALS',
    message:
      'The window has {count} intervals, and an answer has at most {most}. Choose a shorter window or interval=day.',
    example: { values: { count: '2160', most: '1000' } },
  },
  responseTooLarge: {
    status: 413,
    code: 'RESPONSE_TOO_LARGE',
    message:
      'The call {id} alone is larger than the 1 MiB of an answer in full mode. Continue after it with {next}, or read it with dataMode=summary.',
    example: {
      values: { id: 's-1:call-7f3a:2026-11-21T09:30:00.000Z:gpt-4o:openai:812:96:1240:41', next: 'offset=1' },
    },
  },
});
