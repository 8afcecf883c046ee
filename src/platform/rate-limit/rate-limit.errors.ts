import { defineErrors } from '../../kernel/errors.js';

export const rateLimitErrors = defineErrors({
  exceeded: {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'There were too many requests. Wait for the {seconds} seconds in Retry-After, then send fewer of them.',
    example: { values: { seconds: 12 } },
  },
  tooManyStreams: {
    status: 429,
    code: 'TOO_MANY_STREAMS',
    message:
      'The {whose} has {limit} open event streams, which is the limit. Close a stream that you no longer read, or try again after the {seconds} seconds in Retry-After.',
    retryAfter: 5,
    example: { values: { whose: 'key', limit: 64, seconds: 5 } },
  },
});
