interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Arguments that fit a tool's schema in what it requires: texts are `text`, the rest is the least there is. */
export function exampleArguments(schema: object, text: string): unknown {
  const {
    type,
    enum: choices,
    const: only,
    default: fallback,
    minimum,
    properties = {},
    required = [],
  } = schema as Schema;
  const given = only ?? fallback ?? choices?.[0];
  if (given !== undefined) return given;
  switch (type) {
    case 'string':
      return text;
    case 'number':
    case 'integer':
      return minimum ?? 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'null':
      return null;
    default:
      return Object.fromEntries(required.map((name) => [name, exampleArguments(properties[name] ?? {}, text)]));
  }
}
