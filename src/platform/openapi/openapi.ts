import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { exampleError } from '../../kernel/errors.js';
import { exampleOf } from '../../kernel/schema-example.js';
import { Settings } from '../config/settings.js';
import { Meta } from '../route/answer.js';
import { type IndexedRoute, RouteIndex } from '../route/route-index.js';
import { errorBody, Problem } from '../route/error-body.js';
import { USUAL_ERRORS } from '../route/error-shape.js';
import { declaredSchemas } from '../http/declared-schemas.js';
import { bodyContent } from './media-content.js';
import { COMMON_HEADERS } from './response-headers.js';
import { documentRoute, errorsOf, SECURITY } from './route-documentation.js';

const DESCRIPTION = `The self-hosted backend for conversational agents.

Every answer carries the header \`x-request-id\`. Errors have one shape, a code that stays the same, and a message that
says what to do next; all codes are in \`docs/errors.md\`. Send \`Accept: application/problem+json\` for RFC 9457.`;

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const routes = app.get(RouteIndex).all();
  routes.forEach(documentRoute);
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Slipway')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .addServer(app.get(Settings).PUBLIC_URL ?? '/')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key: `sw_…`' }, SECURITY.key)
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An administration key, for `/api/admin/v1`' },
      SECURITY.administration,
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'auth', description: 'A JWT signed by a client' }, SECURITY.token)
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'token', description: 'The same, in the other header' },
      SECURITY.otherToken,
    )
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    standardSchemaConverter: toOpenApi,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  const shapes = new Set([Problem, ...routes.map(({ errorShape }) => errorShape.schema)]);
  const errors = [...shapes].map((schema) => toOpenApi(schema, { schemaType: 'output' })?.components);
  const schemas = Object.assign({}, document.components?.schemas, ...errors) as SchemaMap;
  document.components = {
    ...document.components,
    schemas: sorted(schemas),
    examples: errorExamples(routes),
    headers: COMMON_HEADERS,
  };
  document.tags = tagsOf(document.paths);
  routes.forEach((route) => completeBody(document, route));
  return document;
}

/** Nest takes every body for required, and for JSON alone. */
function completeBody(document: OpenAPIObject, route: IndexedRoute): void {
  const { body } = declaredSchemas(route.controller.constructor, route.method);
  const { requestBody } = document.paths[route.path]?.[route.verb.toLowerCase() as 'post'] ?? {};
  if (!requestBody || !('content' in requestBody)) return;
  if (body.safeParse(undefined).success) requestBody.required = false;
  if (route.streamedBody) return;
  for (const { mediaType } of route.bodies) requestBody.content[mediaType] ??= bodyContent(mediaType, body);
}

function tagsOf(paths: OpenAPIObject['paths']): { name: string }[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { tags?: string[] }[]);
  const names = [...new Set(operations.flatMap(({ tags = [] }) => tags))];
  const rank = (name: string) => `${Number(name.startsWith('Administration'))} ${name}`;
  return names.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map((name) => ({ name }));
}

function errorExamples(routes: IndexedRoute[]): Record<string, { value: object }> {
  const meta = exampleOf(Meta) as Meta;
  const usual = routes.filter(({ errorShape }) => errorShape === USUAL_ERRORS);
  const specs = new Set(usual.flatMap(errorsOf).map(({ spec }) => spec));
  const examples = [...specs].map((spec) => [spec.code, { value: errorBody(exampleError(spec), meta) }] as const);
  return sorted(Object.fromEntries(examples));
}

type SchemaMap = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

interface Converted {
  schema: unknown;
  components?: Record<string, object>;
}

/** zod's JSON Schema as OpenAPI 3.1 wants it: named schemas as components, those of requests under names of their own. */
function toOpenApi(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }): Converted | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: schemaType,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // An answer may gain members: only strict objects stay closed.
      const isOpen = zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined;
      if (isOpen && schemaType === 'output') delete jsonSchema.additionalProperties;
      // zod leaves them out of what is transformed, since they might be of its results. Here they are what is sent.
      const examples = zodSchema instanceof z.ZodType ? zodSchema.meta()?.examples : undefined;
      if (schemaType === 'input' && examples !== undefined) jsonSchema.examples ??= examples as unknown[];
      // The component's name says it.
      delete jsonSchema.id;
    },
  });
  const nameOf = (id: string) => (schemaType === 'output' ? id : `${id}Input`);
  const components = Object.fromEntries(Object.entries($defs).map(([id, part]) => [nameOf(id), tidy(part, nameOf)]));
  return { schema: tidy(root, nameOf), components };
}

/** Points references at components, and leaves out patterns that only repeat a `format`. */
function tidy(part: object, nameOf: (id: string) => string): object {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string')
      return `#/components/schemas/${nameOf(value.replace('#/$defs/', ''))}`;
    if (isObject(value) && typeof value.format === 'string') delete value.pattern;
    return value;
  }) as object;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function sorted<T>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => a.localeCompare(b)));
}
