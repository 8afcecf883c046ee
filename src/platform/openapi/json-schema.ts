import { z } from 'zod';

interface Converted {
  schema: unknown;
  components?: Record<string, object>;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** zod's JSON Schema as OpenAPI 3.1 wants it: named schemas as components, those of requests under names of their own. */
export function toOpenApi(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }): Converted | undefined {
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
      if (zodSchema instanceof z.ZodObject && schemaType === 'output') openToMembers(zodSchema, jsonSchema);
      if (zodSchema instanceof z.ZodObject && schemaType === 'input') leaveOut(zodSchema, jsonSchema);
      // zod leaves them out of what is transformed, since they might be of its results. Here they are what is sent.
      const examples = zodSchema instanceof z.ZodType ? zodSchema.meta()?.examples : undefined;
      if (schemaType === 'input' && examples !== undefined) jsonSchema.examples ??= examples as unknown[];
      // The component's name says it.
      delete jsonSchema.id;
    },
  });
  const nameOf = (id: string) => (schemaType === 'output' ? id : `${id}Input`);
  const toComponent = (part: object) => (schemaType === 'output' ? part : describeDefaults(part));
  const components = Object.fromEntries(
    Object.entries($defs).map(([id, part]) => [nameOf(id), toComponent(tidy(part, nameOf))]),
  );
  return { schema: tidy(root, nameOf), components };
}

/** An answer may gain members: only strict objects stay closed. */
function openToMembers(schema: z.ZodObject, jsonSchema: JsonSchema): void {
  if (schema.def.catchall === undefined) delete jsonSchema.additionalProperties;
}

/** What may be left out of a request is what the schema takes without it: zod asks for all that is preprocessed. */
function leaveOut({ shape }: z.ZodObject, jsonSchema: JsonSchema): void {
  const required = jsonSchema.required?.filter((name) => !(shape[name] as z.ZodType).safeParse(undefined).success);
  if (required?.length) jsonSchema.required = required;
  else delete jsonSchema.required;
}

/**
 * Of members of a body; those of a query have no name. Generators of clients take a member with a default for one that is always there, and want it
 * sent: what is assumed without it stands in its description.
 */
function describeDefaults(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== 'properties' || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutDefault(member)]));
  }) as object;
}

function withoutDefault(member: unknown): unknown {
  if (!isObject(member) || !('default' in member)) return member;
  const { default: assumed, description, ...rest } = member;
  return {
    ...rest,
    description: [description, `Without it: \`${JSON.stringify(assumed)}\`.`].filter(Boolean).join(' '),
  };
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
