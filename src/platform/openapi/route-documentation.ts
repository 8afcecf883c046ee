import { applyDecorators } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { DefinedError } from '../../kernel/errors.js';
import { exampleId, idPattern, type IdKind, prefixOf } from '../../kernel/ids.js';
import type { Access } from '../../kernel/permissions.js';
import { rolesWith } from '../../kernel/roles.js';
import { exampleOf } from '../../kernel/schema-example.js';
import { adminIdentities } from '../auth/admin-identity.js';
import { authErrors } from '../auth/auth.errors.js';
import { databaseErrors } from '../database/database.errors.js';
import { rateLimitErrors } from '../rate-limit/rate-limit.errors.js';
import { idempotencyErrors } from '../idempotency/idempotency.errors.js';
import type { RouteDescription, Verb } from '../route/route-description.js';
import type { IndexedRoute } from '../route/route-index.js';
import { storageErrors } from '../storage/storage.errors.js';
import { transferErrors } from '../transfer/transfer.errors.js';
import { httpErrors } from '../route/http.errors.js';
import { mediaContent } from './media-content.js';
import { headersOfSuccess } from './response-headers.js';

export const SECURITY = {
  key: 'apiKey',
  administration: 'administrationKey',
  token: 'clientToken',
  otherToken: 'clientTokenInToken',
} as const;

/** The methods that have their decorators. Nest would join those of a second application in the process to them. */
const documented = new WeakSet<object>();

/** Passes the declaration of a route to Nest's Swagger module, as the decorators that it reads. */
export function documentRoute(route: IndexedRoute): void {
  const method = Object.getOwnPropertyDescriptor(route.controller, route.method)!;
  const handler = method.value as object;
  if (documented.has(handler)) return;
  documented.add(handler);
  const decorate = applyDecorators(
    ApiOperation({
      summary: route.summary,
      description: [route.description, accessSentence(route)].filter(Boolean).join('\n\n'),
      security: securityOf(route.access),
      ...(route.operationId && { operationId: route.operationId }),
    }),
    ...successResponses(route, handler),
    ...pathParameters(route),
    ...(takesJson(route) ? [] : [ApiConsumes((route.streamedBody ?? route.bodies[0]!).mediaType)]),
    ...(route.takesIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
  );
  decorate(route.controller, route.method, method);
}

function takesJson({ bodies, streamedBody }: RouteDescription): boolean {
  return streamedBody === null && bodies.some((format) => format.matches('application/json'));
}

/** The methods whose routes do not say how they refuse a body. */
const WITHOUT_BODY = new Set<Verb>(['GET', 'HEAD', 'OPTIONS']);

/** Returns every error that the route may answer with: its own, and those of all routes of its kind. */
export function errorsOf(route: RouteDescription): DefinedError[] {
  const { access, right, rightIn, rateGroup, path, verb, streamedBody, errors, returns, takesIdempotencyKey } = route;
  const all: DefinedError[] = [httpErrors.validation, httpErrors.internal];
  all.push(databaseErrors.unavailable, databaseErrors.poolFull, databaseErrors.valueRefused, ...errors);
  if (!WITHOUT_BODY.has(verb)) {
    if (streamedBody) all.push(storageErrors.unavailable);
    else all.push(httpErrors.payloadTooLarge);
    if (streamedBody?.mediaType === 'multipart/form-data') all.push(transferErrors.malformedForm);
    if (takesJson(route)) all.push(httpErrors.malformedJson);
    all.push(httpErrors.unsupportedMediaType, httpErrors.requestTimeout, databaseErrors.conflict);
    all.push(databaseErrors.storageFull);
  }
  if (takesIdempotencyKey) {
    all.push(idempotencyErrors.inProgress, idempotencyErrors.keyReused, idempotencyErrors.answerLost);
  }
  if (access !== 'public') all.push(httpErrors.overloaded);
  if (rateGroup !== null) all.push(rateLimitErrors.exceeded);
  if (access === 'jwtClient') {
    all.push(authErrors.tokenMissing, authErrors.tokenInvalid, authErrors.tokenExpired, authErrors.tokenNotYetValid);
    all.push(authErrors.tokenReplayed);
  } else if (access !== 'public') {
    all.push(authErrors.keyMissing, authErrors.keyInvalid, authErrors.keyRevoked);
    if (access !== 'administration') all.push(authErrors.keyExpired, authErrors.permissionDenied);
    else if (right !== 'read' || rightIn === 'installation') all.push(authErrors.permissionDenied);
  }
  if (route.identifiesAdministrators) all.push(...adminIdentities.all().flatMap(({ errors: own = [] }) => own));
  if (returns.isEventStream) all.push(rateLimitErrors.tooManyStreams);
  if (path.includes('{appId}')) all.push(authErrors.appNotFound);
  if (path.includes('{projectId}')) all.push(authErrors.projectNotFound);
  return [...new Set(all)];
}

/** The header has no example. Swagger UI would send it, and a second request would get the answer of the first. */
const IDEMPOTENCY_KEY = ApiHeader({
  name: 'Idempotency-Key',
  description:
    'A key of your own for the request. For 24 hours, a repeat with the same key gets the first answer and has no second effect.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

const ACCESS_SENTENCES: Partial<Record<Access, string>> = {
  public: 'Needs no API key.',
  anyKey: 'Needs any API key of the project, except one that only sends channel messages.',
  jwtClient:
    'Needs a JWT of a client of the project, in the header `auth` or `token`; `Bearer ` before it may be left out.',
};

function accessSentence(route: RouteDescription): string {
  const { access, permissionForOtherScopes } = route;
  if (access === 'administration') return administrationSentence(route);
  const needed = ACCESS_SENTENCES[access] ?? `Needs the permission \`${access}\`.`;
  return permissionForOtherScopes === null
    ? needed
    : `${needed} Objects that another scope or an administrator created also need the permission \`${permissionForOtherScopes}\`.`;
}

function administrationSentence({ right, rightIn }: RouteDescription): string {
  const role = right === 'read' ? '' : ` with the role ${rolesWith(right)}`;
  const where = rightIn === 'installation' ? ' for the whole installation' : '';
  return `Needs an administration key${role}${where}.`;
}

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (access === 'jwtClient') return [{ [SECURITY.token]: [] }, { [SECURITY.otherToken]: [] }];
  return [{ [access === 'administration' ? SECURITY.administration : SECURITY.key]: [] }];
}

function successResponses(route: IndexedRoute, handler: object): MethodDecorator[] {
  const { schema, contentType, hasBody = true } = route.returns;
  const response = { status: route.status, description: route.summary, headers: headersOfSuccess(route, handler) };
  if (!hasBody) return [ApiResponse(response)];
  if (contentType === undefined) {
    const others = Object.entries(route.otherAnswers).map(([status, { description }]) =>
      ApiResponse({ ...response, status: Number(status), description, standardSchema: schema }),
    );
    const empty = Object.entries(route.answersWithoutBody).map(([status, description]) =>
      ApiResponse({ ...response, status: Number(status), description }),
    );
    return [ApiResponse({ ...response, standardSchema: schema }), ...others, ...empty];
  }
  const [mediaType = ''] = contentType.split(';');
  return [ApiResponse({ ...response, content: { [mediaType]: mediaContent(mediaType, exampleOf(schema) as string) } })];
}

function pathParameters({ path, pathIds, pathNames }: IndexedRoute): MethodDecorator[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = pathIds[name];
    if (kind) return idParameter(name, kind);
    const known = pathNames[name];
    return ApiParam({
      name,
      schema: { type: 'string', ...(known && { enum: [...known.names], example: known.example }) },
    });
  });
}

function idParameter(name: string, kind: IdKind): MethodDecorator {
  const description = `Starts with \`${prefixOf(kind)}\`.`;
  return ApiParam({
    name,
    description,
    schema: { type: 'string', pattern: idPattern(kind), example: exampleId(kind) },
  });
}
