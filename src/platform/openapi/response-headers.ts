import type { OpenAPIObject } from '@nestjs/swagger';
import { HEADERS_METADATA } from '@nestjs/common/constants.js';
import type { ErrorSpec } from '../../kernel/errors.js';
import type { RouteDescription } from '../route/route-description.js';

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const text = { type: 'string' } as const;

/** The headers that answers of many routes have. They are components, and the routes refer to them. */
export const COMMON_HEADERS = {
  RequestId: { description: 'The request’s own id, which the log has too.', required: true, schema: text },
  CorrelationId: { description: 'The `x-request-id` of the request, where it sent one.', schema: text },
  RateLimit: {
    description: 'What is left of the limit, and in how many seconds it is whole again.',
    schema: { ...text, examples: ['"default";r=1199;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The limit, and the seconds it is for.',
    schema: { ...text, examples: ['"default";q=1200;w=60'] },
  },
  IdempotencyReplayed: {
    description: '`true` where this is the answer that the first request under the same `Idempotency-Key` got.',
    schema: { ...text, enum: ['true'] },
  },
  RetryAfter: { description: 'After how many seconds to try again.', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'Which credential is wanted.', required: true, schema: text },
  ErrorCode: { description: 'The code of the error, which the body has no place for.', schema: text },
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
    ...(!route.errorShape.hasCode && { 'x-error-code': common('ErrorCode') }),
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
  return Object.fromEntries(
    set
      .filter(({ name }) => name !== 'content-type')
      .map(({ name, value }) => [name, { required: true, schema: { ...text, const: value } }]),
  );
}
