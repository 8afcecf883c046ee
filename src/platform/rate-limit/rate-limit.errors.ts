import { defineErrors } from '../../kernel/errors.js';

export const rateLimitErrors = defineErrors({
  exceeded: {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Too many requests. Wait the {seconds} seconds in Retry-After, then send fewer of them.',
    example: { values: { seconds: 12 } },
  },
  tooManyStreams: {
    status: 429,
    code: 'TOO_MANY_STREAMS',
    message:
      'The {whose} has {limit} event streams open, as many as it may. Close one that nobody reads, or try again after the {seconds} seconds in Retry-After.',
    retryAfter: 5,
    example: { values: { whose: 'key', limit: 64, seconds: 5 } },
  },
});
