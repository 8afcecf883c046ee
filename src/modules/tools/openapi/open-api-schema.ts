import { RE2JS } from 're2js';
import { isJsonObject } from '../../../kernel/json.js';
import { shortened } from '../../../kernel/shortened.js';
import { schemaFault } from '../documents/input-schema.js';
import type { JsonObject, OpenApiDocument } from './open-api-document.js';

/** Models read the schema with every call, so a long one costs tokens. */
const MOST_CHARACTERS = 30_000;
const MOST_NODES = 2_000;
const DEEPEST = 8;
const LONGEST_DESCRIPTION = 500;
const LONGEST_PATTERN = 200;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const FORMATS = ['date-time', 'date', 'time', 'email', 'uuid', 'uri', 'ipv4', 'ipv6', 'hostname'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
/** Schemas that have nothing but these members can be joined member by member. */
const JOINED = ['type', 'properties', 'required', 'description'];

class TooLarge extends Error {}

/**
 * Converts a schema of OpenAPI 3.0 or 3.1 to a schema of a tool's input. Targets replace their references, and are cut
 * off where it contains itself, or where the schema would become too large. Returns the fault if there is no such
 * schema.
 */
export function toInputSchema(
  schema: JsonObject,
  document: OpenApiDocument,
): { schema: JsonObject } | { fault: string } {
  let fault = 'is too large';
  for (let deepest = DEEPEST; deepest > 0; deepest -= 1) {
    try {
      const converted = new Conversion(document, deepest).read(schema);
      if (JSON.stringify(converted).length > MOST_CHARACTERS) continue;
      const found = schemaFault(converted);
      if (found === undefined) return { schema: converted };
      fault = found;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  return { fault };
}

class Conversion {
  private nodes = 0;
  private readonly open = new Set<string>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly deepest: number,
  ) {}

  read(schema: unknown, level = 0): JsonObject {
    this.nodes += 1;
    if (this.nodes > MOST_NODES) throw new TooLarge();
    if (!isJsonObject(schema)) return schema === false ? { not: {} } : {};
    const { $ref: reference, ...beside } = schema;
    return typeof reference === 'string' ? this.referred(reference, beside, level) : this.inPlace(schema, level);
  }

  private referred(reference: string, { description }: JsonObject, level: number): JsonObject {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    if (this.open.has(reference)) return cutOff(`${name} contains itself, so it is cut off here`);
    this.open.add(reference);
    const target = this.document.target(reference);
    const read = this.read(isJsonObject(target) && description ? { ...target, description } : target, level);
    this.open.delete(reference);
    return read;
  }

  private inPlace(schema: JsonObject, level: number): JsonObject {
    const isNested = ['properties', 'items', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'].some(
      (name) => isJsonObject(schema[name] ?? null) || Array.isArray(schema[name]),
    );
    if (level >= this.deepest && isNested) {
      const type = typesOf(schema);
      return { ...(type && { type }), ...cutOff('the schema is too large, so its members are left out here') };
    }
    return joined([this.own(schema, level), ...this.all(schema.allOf, level)]);
  }

  private own(schema: JsonObject, level: number): JsonObject {
    const type = typesOf(schema);
    const alternatives = [schema.anyOf, schema.oneOf].flatMap((each) => (Array.isArray(each) ? [each] : []));
    return {
      ...(type && { type }),
      ...textsOf(schema),
      ...valuesOf(schema),
      ...boundsOf(schema),
      ...this.members(schema, level + 1),
      ...(isJsonObject(schema.items) && { items: this.read(schema.items, level + 1) }),
      // Where alternatives lost what tells them apart, several may match, which oneOf would refuse.
      ...(alternatives[0] && { anyOf: this.all(alternatives[0], level + 1) }),
    };
  }

  private all(schemas: unknown, level: number): JsonObject[] {
    return Array.isArray(schemas) ? schemas.map((each) => this.read(each, level)) : [];
  }

  private members({ properties, required, additionalProperties }: JsonObject, level: number): JsonObject {
    const sent = isJsonObject(properties)
      ? Object.entries(properties).filter(([, each]) => !this.isAnsweredOnly(each))
      : [];
    const left = isJsonObject(properties)
      ? Object.keys(properties).filter((name) => !sent.some(([one]) => one === name))
      : [];
    const names = Array.isArray(required)
      ? [...new Set(required)].filter((name) => typeof name === 'string' && !left.includes(name))
      : [];
    return {
      ...(sent.length > 0 && {
        properties: Object.fromEntries(sent.map(([name, each]) => [name, this.read(each, level)])),
      }),
      ...(names.length > 0 && { required: names }),
      ...(additionalProperties === false && { additionalProperties }),
      ...(isJsonObject(additionalProperties) &&
        Object.keys(additionalProperties).length > 0 && {
          additionalProperties: this.read(additionalProperties, level),
        }),
    };
  }

  /** Members with `readOnly` are in answers only. */
  private isAnsweredOnly(schema: unknown): boolean {
    const followed = this.document.follow(schema);
    return isJsonObject(followed) && followed.readOnly === true;
  }
}

function cutOff(why: string): JsonObject {
  return { description: `Any value: ${why}.` };
}

/** Joins the parts of an `allOf` into one schema where that is possible, because models understand it better. */
function joined(parts: JsonObject[]): JsonObject {
  const [first = {}, ...rest] = parts.filter((part, at) => at === 0 || Object.keys(part).length > 0);
  if (rest.length === 0) return first;
  if (Object.keys(first).length === 0 && rest.length === 1) return rest[0]!;
  const all = [first, ...rest];
  if (!all.every((part) => Object.keys(part).every((name) => JOINED.includes(name)))) return { ...first, allOf: rest };
  const required = [...new Set(all.flatMap((part) => (part.required as string[] | undefined) ?? []))];
  const properties = Object.fromEntries(all.flatMap((part) => Object.entries((part.properties ?? {}) as JsonObject)));
  const types = new Set(all.flatMap(({ type }) => (type === undefined ? [] : [JSON.stringify(type)])));
  if (types.size > 1) return { ...first, allOf: rest };
  const type = all.find((part) => part.type !== undefined)?.type;
  const description = all.find((part) => part.description !== undefined)?.description;
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function typesOf({ type, nullable }: JsonObject): string | string[] | undefined {
  const given = [type].flat().filter((each): each is string => TYPES.includes(each as string));
  if (given.length === 0) return undefined;
  const all = [...new Set(nullable === true ? [...given, 'null'] : given)];
  return all.length === 1 ? all[0] : all;
}

function textsOf({ description, format, pattern }: JsonObject): JsonObject {
  return {
    ...(typeof description === 'string' &&
      description !== '' && { description: shortened(description, LONGEST_DESCRIPTION) }),
    ...(FORMATS.includes(format as string) && { format }),
    ...(typeof pattern === 'string' && isPattern(pattern) && { pattern }),
  };
}

function valuesOf({ enum: values, nullable, default: fallback, ...schema }: JsonObject): JsonObject {
  const all = Array.isArray(values) ? [...(values as unknown[]), ...(nullable === true ? [null] : [])] : [];
  const different = [...new Map(all.map((value) => [JSON.stringify(value), value])).values()];
  return {
    ...(different.length > 0 && { enum: different }),
    ...(Object.hasOwn(schema, 'const') && { const: schema.const }),
    ...(['string', 'number', 'boolean'].includes(typeof fallback) && { default: fallback }),
  };
}

/** In OpenAPI 3.0, an exclusive bound is a boolean beside the bound. */
function boundsOf(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, uniqueItems } = schema;
  const given = {
    ...schema,
    ...(exclusiveMinimum === true && { exclusiveMinimum: minimum, minimum: undefined }),
    ...(exclusiveMaximum === true && { exclusiveMaximum: maximum, maximum: undefined }),
  } as JsonObject;
  const isBound = (name: string) => {
    const value = given[name];
    if (typeof value !== 'number' || !Number.isFinite(value)) return false;
    return NUMBERS.includes(name) ? name !== 'multipleOf' || value > 0 : Number.isInteger(value) && value >= 0;
  };
  const bounds = [...NUMBERS, ...COUNTS].filter(isBound).map((name) => [name, given[name]]);
  return { ...(Object.fromEntries(bounds) as JsonObject), ...(uniqueItems === true && { uniqueItems }) };
}

/** The server checks its patterns itself, so one that cannot be checked here is left out. */
function isPattern(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}
