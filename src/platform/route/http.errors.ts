import { defineErrors } from '../../kernel/errors.js';

/** The errors that a request to any route may be answered with. */
export const httpErrors = defineErrors({
  validation: {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'The request has faults; `details.issues` lists each with its path.',
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
    message:
      'The body cannot be unpacked, although its Content-Encoding is gzip. Send it completely, or without compression.',
  },
  routeNotFound: {
    status: 404,
    code: 'ROUTE_NOT_FOUND',
    message: 'No route answers {method} on this path. /docs lists all routes.',
    example: { values: { method: 'GET' } },
  },
  methodNotAllowed: {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'This path does not accept {method}; it accepts {allowed}.',
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
    message: 'The body is larger than {limit} bytes, the limit of this route. Send less at a time.',
    example: { values: { limit: 1_048_576 } },
  },
  unsupportedMediaType: {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This route accepts bodies of {expected}, in UTF-8 and {encoding}.',
    example: { values: { expected: '`application/json`', encoding: 'without content encoding' } },
  },
  headersTooLarge: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The header block is larger than 1 MiB. Shorten the address and the headers.',
  },
  internal: {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'The service failed. Send `meta.requestId` to its administrator.',
  },
  overloaded: {
    status: 503,
    code: 'OVERLOADED',
    message: 'This process has no capacity for more requests. Send the request again after the seconds in Retry-After.',
    retryAfter: 2,
  },
  notReady: {
    status: 503,
    code: 'NOT_READY',
    message:
      'This process cannot serve requests now; `details.checks` says why. Try again, or read the log of the process.',
    retryAfter: 2,
    example: { details: { checks: { database: { status: 'down', message: 'does not answer' } } } },
  },
});
