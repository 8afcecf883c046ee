interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  example?: unknown;
  minimum?: number;
}

/** Returns a value that a schema of a tool's input may take. Only the members that it requires are filled in. */
export function exampleOf(schema: Schema): unknown {
  const { properties = {}, required = [], items } = schema;
  const given = [schema.const, schema.default, schema.example, schema.examples?.[0], schema.enum?.[0]];
  const value = given.find((each) => each !== undefined);
  if (value !== undefined) return value;
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return items ? [exampleOf(items)] : [];
  if (type === 'null') return null;
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
}
