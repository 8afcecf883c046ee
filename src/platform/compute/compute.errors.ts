import { defineErrors } from '../../kernel/errors.js';

export const computeErrors = defineErrors({
  busy: {
    status: 503,
    code: 'COMPUTE_BUSY',
    message:
      'The project already computes as many templates as it may at once. Nothing was changed; send the request again.',
    retryAfter: 1,
  },
});
