import { defineErrors } from '../../kernel/errors.js';

export const rateLimitErrors = defineErrors({
  exceeded: {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Too many requests. Wait the {seconds} seconds in Retry-After, then send fewer of them.',
    example: { values: { seconds: 12 } },
  },
});
