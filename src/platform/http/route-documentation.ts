import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { DefinedError } from '../../kernel/errors.js';
import { exampleId, ID_PREFIXES, idPattern, type IdKind } from '../../kernel/ids.js';
import { authErrors } from '../auth/auth.errors.js';
import { databaseErrors } from '../database/database.errors.js';
import { rateLimitErrors } from '../rate-limit/rate-limit.errors.js';
import type { Access, RouteDescription } from '../route/route-description.js';
import type { IndexedRoute } from '../route/route-index.js';
import { httpErrors } from './http.errors.js';

export const SECURITY = { key: 'apiKey', administration: 'administrationKey' } as const;

/** Tells Nest's Swagger module what a route says of itself. */
export function documentRoute(route: IndexedRoute): void {
  const method = Object.getOwnPropertyDescriptor(route.controller, route.method)!;
  const decorate = applyDecorators(
    ApiOperation({
      summary: route.summary,
      description: [route.description, WHO[route.access] ?? `Needs the permission \`${route.access}\`.`]
        .filter(Boolean)
        .join('\n\n'),
      security: securityOf(route.access),
    }),
    ApiResponse({ status: route.status, description: route.summary, standardSchema: route.returns.schema }),
    ...errorResponses(route),
    ...pathParameters(route),
  );
  decorate(route.controller, route.method, method);
}

/** Every error the route can answer with: its own and those of its kind. */
export function errorsOf({ access, path, verb, errors }: RouteDescription): DefinedError[] {
  const all: DefinedError[] = [httpErrors.validation, httpErrors.internal];
  all.push(databaseErrors.unavailable, databaseErrors.valueRefused, ...errors);
  if (verb !== 'GET') {
    all.push(httpErrors.malformedJson, httpErrors.payloadTooLarge, httpErrors.unsupportedMediaType);
    all.push(httpErrors.requestTimeout, databaseErrors.conflict, databaseErrors.storageFull);
  }
  if (access !== 'public') {
    all.push(authErrors.keyMissing, authErrors.keyInvalid, authErrors.keyRevoked, rateLimitErrors.exceeded);
    if (access !== 'administration') all.push(authErrors.keyExpired, authErrors.permissionDenied);
  }
  if (path.includes('{appId}')) all.push(authErrors.appNotFound);
  if (path.includes('{projectId}')) all.push(authErrors.projectNotFound);
  return [...new Set(all)];
}

const WHO: Partial<Record<Access, string>> = {
  public: 'Open to everyone.',
  anyKey: 'Needs any API key of the project, except one that only sends channel messages.',
  administration: 'Needs an administration key.',
};

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  return [{ [access === 'administration' ? SECURITY.administration : SECURITY.key]: [] }];
}

function errorResponses(route: RouteDescription): MethodDecorator[] {
  const byStatus = Map.groupBy(
    errorsOf(route).map((error) => error.spec),
    (spec) => spec.status,
  );
  return [...byStatus].map(([status, specs]) =>
    ApiResponse({
      status,
      description: specs.map(({ code }) => `\`${code}\``).join(', '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(specs.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }])),
        },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    }),
  );
}

function pathParameters({ path, pathIds }: IndexedRoute): MethodDecorator[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = pathIds[name];
    return kind ? idParameter(name, kind) : ApiParam({ name, schema: { type: 'string' } });
  });
}

function idParameter(name: string, kind: IdKind): MethodDecorator {
  const description = `Starts with \`${ID_PREFIXES[kind]}\`.`;
  return ApiParam({
    name,
    description,
    schema: { type: 'string', pattern: idPattern(kind), example: exampleId(kind) },
  });
}
