import { defineErrors } from '../../kernel/errors.js';

export const computeErrors = defineErrors({
  busy: {
    status: 503,
    code: 'COMPUTE_BUSY',
    message: 'Too many computations of this project are waiting. Nothing was changed; send the request again.',
    retryAfter: 1,
  },
});
