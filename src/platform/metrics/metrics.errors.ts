import { defineErrors } from '../../kernel/errors.js';

export const metricsErrors = defineErrors({
  denied: {
    status: 403,
    code: 'METRICS_DENIED',
    message:
      'Only the machine on which the process runs reads metrics without a token. From elsewhere, send METRICS_TOKEN as `Authorization: Bearer …`.',
  },
});
