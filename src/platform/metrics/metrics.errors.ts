import { defineErrors } from '../../kernel/errors.js';

export const metricsErrors = defineErrors({
  denied: {
    status: 403,
    code: 'METRICS_DENIED',
    message:
      'Metrics are for the machine that the process runs on. From elsewhere send METRICS_TOKEN as `Authorization: Bearer …`.',
  },
});
