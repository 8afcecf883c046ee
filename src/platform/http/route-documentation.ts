import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { ErrorFactory } from '../../kernel/errors.js';
import { exampleId, idPattern, type IdKind, ID_PREFIXES } from '../../kernel/ids.js';
import { authErrors } from '../auth/auth.errors.js';
import { databaseErrors } from '../database/database.errors.js';
import { rateLimitErrors } from '../rate-limit/rate-limit.errors.js';
import { envelopeSchema } from './envelope.js';
import { httpErrors } from './http.errors.js';
import type { RouteDescription } from './route-description.js';

export const SECURITY = { key: 'apiKey', administration: 'administrationKey' } as const;

export function documentRoute(route: RouteDescription): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: route.summary, description: describe(route), security: security(route) }),
    ApiResponse({
      status: route.status,
      description: route.summary,
      standardSchema: envelopeSchema(route.envelope, route.returns),
    }),
    ...errorResponses(route),
    ...pathParameters(route.path),
  );
}

/** Every error the route can answer with: its own and those of its kind. */
export function errorsOf({ access, path, verb, errors }: RouteDescription): ErrorFactory[] {
  const common = [httpErrors.validation, httpErrors.internal, databaseErrors.unavailable, databaseErrors.valueRefused];
  const all = [...common, ...errors];
  if (verb !== 'GET') {
    all.push(httpErrors.malformedJson, httpErrors.payloadTooLarge, httpErrors.unsupportedMediaType);
    all.push(httpErrors.requestTimeout, databaseErrors.conflict, databaseErrors.storageFull);
  }
  if (access !== 'public') all.push(authErrors.keyMissing, authErrors.keyInvalid, rateLimitErrors.exceeded);
  if (access !== 'public') all.push(authErrors.keyRevoked);
  if (access !== 'public' && access !== 'administration') all.push(authErrors.keyExpired, authErrors.permissionDenied);
  if (path.includes('{appId}')) all.push(authErrors.appNotFound);
  if (path.includes('{projectId}')) all.push(authErrors.projectNotFound);
  return [...new Set(all)];
}

function describe({ access, description }: RouteDescription): string {
  const who = {
    public: 'Open to everyone.',
    anyKey: 'Needs any API key of the project, except one that only sends channel messages.',
    administration: 'Needs an administration key.',
  };
  const needs = access in who ? who[access as keyof typeof who] : `Needs the permission \`${access}\`.`;
  return description ? `${description}\n\n${needs}` : needs;
}

function errorResponses(route: RouteDescription): MethodDecorator[] {
  const byStatus = Map.groupBy(
    errorsOf(route).map((factory) => factory.spec),
    (spec) => spec.status,
  );
  return [...byStatus].map(([status, specs]) =>
    ApiResponse({
      status,
      description: specs.map((spec) => `\`${spec.code}\``).join(', '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(specs.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    }),
  );
}

function pathParameters(path: string): MethodDecorator[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = KIND_OF_PARAMETER[name];
    if (!kind) return ApiParam({ name, schema: { type: 'string' } });
    return ApiParam({
      name,
      description: `Starts with \`${ID_PREFIXES[kind]}\`.`,
      schema: { type: 'string', pattern: idPattern(kind) },
      example: exampleId(kind),
    });
  });
}

const KIND_OF_PARAMETER: Record<string, IdKind> = {
  projectId: 'project',
  appId: 'app',
  scopeId: 'scope',
  keyId: 'apiKey',
  adminKeyId: 'adminKey',
};

function security({ access }: RouteDescription): Record<string, string[]>[] {
  if (access === 'public') return [];
  return [{ [access === 'administration' ? SECURITY.administration : SECURITY.key]: [] }];
}
