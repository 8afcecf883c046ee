import { defineErrors } from '../../kernel/errors.js';

/** The errors that a request to any route may be answered with. */
export const httpErrors = defineErrors({
  validation: {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'The request has faults; `details.issues` names each with its path.',
    example: { details: { issues: [{ path: 'api_key_name', message: 'is required' }] } },
  },
  malformedRequest: {
    status: 400,
    code: 'MALFORMED_REQUEST',
    message: 'The request is not valid HTTP. Check its request line, headers and body framing.',
  },
  malformedJson: {
    status: 400,
    code: 'MALFORMED_JSON',
    message: 'The body is not valid JSON in UTF-8{position}. Send one JSON value.',
    example: { values: { position: ' (at character 17)' } },
  },
  malformedGzip: {
    status: 400,
    code: 'MALFORMED_GZIP',
    message: 'The body is said to be gzip and cannot be unpacked. Send it whole, or without compression.',
  },
  routeNotFound: {
    status: 404,
    code: 'ROUTE_NOT_FOUND',
    message: 'No route answers {method} on this path. All routes are listed at /docs.',
    example: { values: { method: 'GET' } },
  },
  methodNotAllowed: {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'This path does not take {method}; it takes {allowed}.',
    example: { values: { method: 'PUT', allowed: 'GET' } },
  },
  requestTimeout: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: 'The request did not arrive in time. Send it again over a faster connection.',
  },
  payloadTooLarge: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is larger than the {limit} bytes this route takes. Send less at a time.',
    example: { values: { limit: 1_048_576 } },
  },
  unsupportedMediaType: {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This route takes bodies of {expected}, in UTF-8 and {encoding}.',
    example: { values: { expected: 'application/json', encoding: 'without content encoding' } },
  },
  headersTooLarge: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The header block is larger than 1 MiB. Send less in the address and the headers.',
  },
  internal: {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'Something failed on our side. Give `meta.requestId` to whoever runs this service.',
  },
  overloaded: {
    status: 503,
    code: 'OVERLOADED',
    message:
      'More is requested than this process can work on. Send the request again after the seconds in Retry-After.',
    retryAfter: 2,
  },
  notReady: {
    status: 503,
    code: 'NOT_READY',
    message: 'This process cannot serve now; `details.checks` says why. Ask again, or see the log of the process.',
    retryAfter: 2,
    example: { details: { checks: { database: { status: 'down', message: 'does not answer' } } } },
  },
});
