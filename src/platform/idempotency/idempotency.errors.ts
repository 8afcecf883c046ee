import { defineErrors } from '../../kernel/errors.js';

export const idempotencyErrors = defineErrors({
  inProgress: {
    status: 409,
    code: 'IDEMPOTENCY_IN_PROGRESS',
    retryAfter: 1,
    message: 'A request with this Idempotency-Key is still running. Send it again after the seconds in Retry-After.',
  },
  answerLost: {
    status: 409,
    code: 'IDEMPOTENCY_ANSWER_LOST',
    message:
      'The first request with this Idempotency-Key was answered, but its answer cannot be read any more. Check whether the request had its effect; if not, use a new key.',
  },
  keyReused: {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    message:
      'This Idempotency-Key was sent before with another path, query or body. Use a new key for each effect that you want.',
  },
});
