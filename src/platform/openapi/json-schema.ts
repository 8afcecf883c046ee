import { z } from 'zod';

interface Converted {
  schema: unknown;
  components?: Record<string, object>;
}

export type SchemaType = 'input' | 'output';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The name of a request's schema ends in `Input`, because its JSON Schema may differ from that of an answer with the
 * same id.
 */
export function componentName(id: string, schemaType: SchemaType): string {
  return schemaType === 'output' ? id : `${id}Input`;
}

/** Converts a zod schema to JSON Schema for OpenAPI 3.1. Named schemas become components. */
export function toOpenApi(schema: unknown, { schemaType }: { schemaType: SchemaType }): Converted | undefined {
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
      if (zodSchema instanceof z.ZodObject && schemaType === 'output') allowFurtherMembers(zodSchema, jsonSchema);
      if (zodSchema instanceof z.ZodObject && schemaType === 'input') makeOptional(zodSchema, jsonSchema);
      // zod omits the examples of a transformed schema, because they might show its results. Here they show its input.
      const examples = zodSchema instanceof z.ZodType ? zodSchema.meta()?.examples : undefined;
      if (schemaType === 'input' && examples !== undefined) jsonSchema.examples ??= examples as unknown[];
      // The id has become the component's name.
      delete jsonSchema.id;
    },
  });
  const nameOf = (id: string) => componentName(id, schemaType);
  const toComponent = (part: object) => (schemaType === 'output' ? part : describeDefaults(part));
  const components = Object.fromEntries(
    Object.entries($defs).map(([id, part]) => [nameOf(id), toComponent(tidy(part, nameOf))]),
  );
  return { schema: tidy(root, nameOf), components };
}

/** Allows further members, because an answer may gain some in a later release. Strict objects stay closed. */
function allowFurtherMembers(schema: z.ZodObject, jsonSchema: JsonSchema): void {
  if (schema.def.catchall === undefined) delete jsonSchema.additionalProperties;
}

/** Makes a member optional if its schema accepts undefined. zod lists every preprocessed member as required. */
function makeOptional({ shape }: z.ZodObject, jsonSchema: JsonSchema): void {
  const required = jsonSchema.required?.filter((name) => !(shape[name] as z.ZodType).safeParse(undefined).success);
  if (required?.length) jsonSchema.required = required;
  else delete jsonSchema.required;
}

/**
 * Moves the defaults of a body's members into their descriptions. Generated clients take a member with a default for
 * one that is always present, and demand that the caller sends it.
 */
function describeDefaults(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== 'properties' || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutDefault(member)]));
  }) as object;
}

function withoutDefault(member: unknown): unknown {
  if (!isObject(member) || !('default' in member)) return member;
  const { default: assumed, description = '', ...rest } = member as { default: unknown; description?: string };
  // A description that mentions the default says more than its value, such as from what it is computed.
  if (/\bdefault\b/i.test(description)) return { ...rest, description };
  return { ...rest, description: `${description} The default is \`${JSON.stringify(assumed)}\`.`.trim() };
}

/** Points references at components, and leaves out patterns that only repeat a `format`, which a password has not. */
function tidy(part: object, nameOf: (id: string) => string): object {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string')
      return `#/components/schemas/${nameOf(value.replace('#/$defs/', ''))}`;
    if (isObject(value) && typeof value.format === 'string' && value.format !== 'password') delete value.pattern;
    return value;
  }) as object;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
