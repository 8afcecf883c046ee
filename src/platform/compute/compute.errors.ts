import { defineErrors } from '../../kernel/errors.js';

export const computeErrors = defineErrors({
  busy: {
    status: 503,
    code: 'COMPUTE_BUSY',
    message:
      'Templates of the project are computed at this moment, as many as may be at once. Nothing was changed; send the request again.',
    retryAfter: 1,
  },
});
