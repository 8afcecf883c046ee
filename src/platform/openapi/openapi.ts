import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { packageVersion } from '../config/project-file.js';
import { Settings } from '../config/settings.js';
import { type IndexedRoute, RouteIndex } from '../route/route-index.js';
import { declaredSchemas } from '../http/declared-schemas.js';
import { operationIdOf, refuseSharedNames } from './document-names.js';
import { documentErrors } from './error-responses.js';
import { toOpenApi } from './json-schema.js';
import { bodyContent, mediaContent } from './media-content.js';
import { COMMON_HEADERS } from './response-headers.js';
import { documentRoute, SECURITY } from './route-documentation.js';
import { TAGS } from './tags.js';

const IGNORED_HEADERS = new Set(['accept', 'authorization', 'content-type']);

const DESCRIPTION = `The self-hosted backend for conversational agents.

Every answer carries the header \`x-request-id\`. Errors have one shape, a code that stays the same, and a message that
says what to do next; all codes are in \`docs/errors.md\`. To requests with \`Accept: application/problem+json\` they
come as RFC 9457 has them: \`type\`, \`title\` (the code), \`status\`, \`detail\` (the message), \`instance\`, \`details\`
and \`required\`.`;

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const routes = app.get(RouteIndex).all();
  refuseSharedNames(routes);
  routes.forEach(documentRoute);
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Slipway')
    .setDescription(DESCRIPTION)
    .setVersion(packageVersion())
    .addServer(app.get(Settings).PUBLIC_URL ?? '/')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key, `sw_…`' }, SECURITY.key)
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An administration key, for `/api/admin/v1`' },
      SECURITY.administration,
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'auth', description: 'A JWT that a client has signed' },
      SECURITY.token,
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'token',
        description: 'A JWT that a client has signed, in the other header',
      },
      SECURITY.otherToken,
    )
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    standardSchemaConverter: toOpenApi,
    operationIdFactory: operationIdOf,
  });
  const errors = documentErrors(document, routes);
  const shapes = new Set(routes.map(({ errorShape }) => errorShape.schema));
  const ofShapes = [...shapes].map((schema) => toOpenApi(schema, { schemaType: 'output' })?.components);
  const schemas = Object.assign({}, document.components?.schemas, ...ofShapes) as SchemaMap;
  document.components = {
    ...document.components,
    schemas: sorted(schemas),
    responses: sorted(errors.responses!),
    examples: sorted(errors.examples!),
    headers: COMMON_HEADERS,
  };
  document.tags = tagsOf(document.paths);
  for (const route of routes) {
    removeIgnoredHeaders(document, route);
    describeParametersOnce(document, route);
    completeBody(document, route);
    addExamples(document, route);
    completeAnswer(document, route);
  }
  return document;
}

/**
 * OpenAPI describes these headers elsewhere and ignores them as parameters, but Swagger UI would show a field for each.
 */
function removeIgnoredHeaders(document: OpenAPIObject, route: IndexedRoute): void {
  const operation = document.paths[route.path]![route.verb.toLowerCase() as 'post']!;
  operation.parameters = operation.parameters?.filter(
    (parameter) =>
      '$ref' in parameter || parameter.in !== 'header' || !IGNORED_HEADERS.has(parameter.name.toLowerCase()),
  );
}

/** Nest writes the description of a parameter into its schema as well. */
function describeParametersOnce(document: OpenAPIObject, route: IndexedRoute): void {
  const { parameters = [] } = document.paths[route.path]![route.verb.toLowerCase() as 'post']!;
  for (const parameter of parameters) {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema) continue;
    const { description, ...schema } = parameter.schema;
    if (description === parameter.description) parameter.schema = schema;
  }
}

/** Nest documents every body as required and as JSON only. */
function completeBody(document: OpenAPIObject, route: IndexedRoute): void {
  const { body } = declaredSchemas(route.controller.constructor, route.method);
  const { requestBody } = document.paths[route.path]?.[route.verb.toLowerCase() as 'post'] ?? {};
  if (!requestBody || !('content' in requestBody)) return;
  if (body.safeParse(undefined).success) requestBody.required = false;
  if (route.streamedBody) return;
  for (const { mediaType } of route.bodies) requestBody.content[mediaType] ??= bodyContent(mediaType, body);
}

/** Adds the examples of answers that the one example of their schema does not show. */
function addExamples(document: OpenAPIObject, route: IndexedRoute): void {
  const { responses } = document.paths[route.path]![route.verb.toLowerCase() as 'post']!;
  const show = (status: string | number, examples: Record<string, object>) => {
    const { content } = responses[status] as { content: Record<string, { examples?: object }> };
    const values = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
    content['application/json']!.examples = Object.fromEntries(values);
  };
  if (route.returns.examples) show(route.status, route.returns.examples);
  for (const [status, { example }] of Object.entries(route.otherAnswers)) show(status, { answer: example });
}

/** Adds what a request may get instead of the declared answer: a stream of events, another type, or a part of it. */
function completeAnswer(document: OpenAPIObject, { path, verb, status, returns }: IndexedRoute): void {
  const { responses } = document.paths[path]![verb.toLowerCase() as 'post']!;
  const response = responses[status] as { content: Record<string, object> };
  if (returns.isEventStream && !returns.contentType)
    response.content['text/event-stream'] = mediaContent('text/event-stream');
  for (const type of returns.otherContentTypes ?? []) response.content[type] = mediaContent(type);
  if (returns.supportsRange)
    responses['206'] = { ...response, description: 'The part of the content that `Range` requests' };
}

/** Returns the tags of all operations in the order of `TAGS`, with undescribed ones last. */
function tagsOf(paths: OpenAPIObject['paths']): NonNullable<OpenAPIObject['tags']> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { tags?: string[] }[]);
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  const described = Object.entries<string>(TAGS).filter(([name]) => used.delete(name));
  return [...described.map(([name, description]) => ({ name, description })), ...[...used].map((name) => ({ name }))];
}

type SchemaMap = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

function sorted<T>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => a.localeCompare(b)));
}
