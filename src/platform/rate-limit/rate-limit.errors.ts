import { defineErrors } from '../../kernel/errors.js';

export const rateLimitErrors = defineErrors({
  exceeded: {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Too many requests. Wait the {seconds} seconds in Retry-After, then go on more slowly.',
    example: { seconds: 12 },
  },
});
