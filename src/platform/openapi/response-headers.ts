import type { OpenAPIObject } from '@nestjs/swagger';
import { HEADERS_METADATA } from '@nestjs/common/constants.js';
import type { ErrorSpec } from '../../kernel/errors.js';
import type { RouteDescription } from '../route/route-description.js';

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const text = { type: 'string' } as const;

/** The headers that answers of many routes have. They are components, and the routes refer to them. */
export const COMMON_HEADERS = {
  RequestId: { description: 'The id of the request, which is also in the log.', required: true, schema: text },
  CorrelationId: { description: 'The `x-request-id` that the request sent.', schema: text },
  RateLimit: {
    description: 'The remaining requests of the limit, and the seconds until all are available again.',
    schema: { ...text, examples: ['"default";r=1199;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The limit, and the number of seconds to which it applies.',
    schema: { ...text, examples: ['"default";q=1200;w=60'] },
  },
  IdempotencyReplayed: {
    description: 'Set to `true` if this is the answer to the first request with the same `Idempotency-Key`.',
    schema: { ...text, enum: ['true'] },
  },
  RetryAfter: {
    description: 'The seconds after which to send the request again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Challenge: { description: 'The kind of credential that the request needs.', required: true, schema: text },
  ErrorCode: { description: 'The code of the error, because the body has no member for it.', schema: text },
} as const satisfies Headers;

export function headersOfSuccess(route: RouteDescription, handler: object): Headers {
  return {
    ...headersOfEach(route),
    ...(route.takesIdempotencyKey && { 'idempotency-replayed': common('IdempotencyReplayed') }),
    ...constantHeaders(handler),
    ...described(route.returns.headers ?? {}),
  };
}

export function headersOfError(route: RouteDescription, status: number, specs: readonly ErrorSpec[]): Headers {
  return {
    ...headersOfEach(route),
    ...(status === 401 && { 'www-authenticate': common('Challenge') }),
    ...((status === 429 || specs.some((spec) => spec.retryAfter)) && { 'retry-after': common('RetryAfter') }),
    ...((!route.errorShape.hasCode || route.verb === 'HEAD') && { 'x-error-code': common('ErrorCode') }),
  };
}

/** Whether the route's requests count towards a rate limit, so that its answers have the headers of that limit. */
export function isCounted({ access }: RouteDescription): boolean {
  return access !== 'public' && access !== 'administration';
}

function headersOfEach(route: RouteDescription): Headers {
  return {
    'x-request-id': common('RequestId'),
    'x-correlation-id': common('CorrelationId'),
    ...(isCounted(route) && { ratelimit: common('RateLimit'), 'ratelimit-policy': common('RateLimitPolicy') }),
    ...valued(route.headers),
  };
}

function common(name: keyof typeof COMMON_HEADERS) {
  return { $ref: `#/components/headers/${name}` };
}

function described(headers: Readonly<Record<string, string>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: text }]),
  );
}

/** Returns the headers that `@Header` sets on the handler, without the media type, which is documented elsewhere. */
function constantHeaders(handler: object): Headers {
  const set = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { name: string; value: string }[];
  return valued(
    Object.fromEntries(set.filter(({ name }) => name !== 'content-type').map(({ name, value }) => [name, value])),
  );
}

function valued(headers: Readonly<Record<string, string>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { required: true, schema: { ...text, const: value } }]),
  );
}
