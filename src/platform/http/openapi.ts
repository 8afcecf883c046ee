import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { type ErrorExtras, errorCatalogue, exampleMessage } from '../../kernel/errors.js';
import { exampleId } from '../../kernel/ids.js';
import { authErrors } from '../auth/auth.errors.js';
import { Settings } from '../config/settings.js';
import { ErrorBody, errorBody } from './error-body.js';
import { httpErrors } from './http.errors.js';
import { SECURITY } from './route-documentation.js';

const DESCRIPTION = `The self-hosted backend for conversational agents.

Every answer carries the header \`x-request-id\`. Errors have one shape, a code that stays the same, and a message that
says what to do next; all codes are in \`docs/errors.md\`. Send \`Accept: application/problem+json\` for RFC 9457.`;

export function openApiDocument(app: INestApplication): OpenAPIObject {
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
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    standardSchemaConverter: toOpenApi,
    operationIdFactory: (_controller, method) => method,
  });
  const schemas = { ...document.components?.schemas, ...toOpenApi(ErrorBody, { schemaType: 'output' })?.components };
  document.components = { ...document.components, schemas: sorted(schemas), examples: errorExamples(document.paths) };
  document.tags = tagsOf(document.paths);
  return document;
}

function tagsOf(paths: OpenAPIObject['paths']): { name: string }[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { tags?: string[] }[]);
  return [...new Set(operations.flatMap(({ tags = [] }) => tags))].sort().map((name) => ({ name }));
}

/** Of the errors that some operation can answer with. */
function errorExamples(paths: OpenAPIObject['paths']): Record<string, { value: object }> {
  const text = JSON.stringify(paths);
  const requestId = exampleId('request');
  const at = new Date('2026-11-21T09:30:00Z');
  const used = errorCatalogue().filter(({ code }) => text.includes(`/examples/${code}"`));
  const entries = used.map((spec) => {
    const value = errorBody(spec, exampleMessage(spec), EXTRAS[spec.code] ?? {}, requestId, at);
    return [spec.code, { value }] as const;
  });
  return Object.fromEntries(entries);
}

const EXTRAS: Record<string, Pick<ErrorExtras, 'details' | 'required'>> = {
  [httpErrors.validation.spec.code]: {
    details: { issues: [{ path: 'permissions.RUN', message: 'is not known here; take it out' }] },
  },
  [authErrors.permissionDenied.spec.code]: { required: ['API_SCOPE_KEY_FULL'] },
};

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
      // An answer may gain members: only what says so itself is closed.
      const open = zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined;
      if (open && schemaType === 'output') delete jsonSchema.additionalProperties;
    },
  });
  const nameOf = (id: string) => (schemaType === 'output' ? id : `${id}Input`);
  const components = Object.fromEntries(Object.entries($defs).map(([id, part]) => [nameOf(id), tidy(part, nameOf)]));
  if (!root.id) return { schema: tidy(root, nameOf), components };
  components[nameOf(root.id)] = tidy(root, nameOf);
  return { schema: { $ref: `#/components/schemas/${nameOf(root.id)}` }, components };
}

/** Points references at components, and leaves out patterns that only repeat a `format`. */
function tidy(part: object, nameOf: (id: string) => string): object {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string')
      return `#/components/schemas/${nameOf(value.replace('#/$defs/', ''))}`;
    if (key === 'id') return undefined;
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
