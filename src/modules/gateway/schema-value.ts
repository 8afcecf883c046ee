import { isJsonObject } from '../../kernel/json.js';

/** A schema from a request, which may be malformed. Members without the expected type are ignored. */
type Schema = Record<string, unknown>;

/** Rules that are not evaluated, so that a value may violate them. */
const UNKNOWN_RULES = [
  ...['not', 'if', 'contains', 'minProperties'],
  ...['propertyNames', 'dependentRequired', 'dependentSchemas'],
];

const MAX_VALUES = 10_000;
/** A recursive schema may be entered this many times. Another alternative is tried then. */
const MAX_REFERENCES = 4;
const MAX_ALL_OF_DEPTH = 16;

/** A neutral value for each format. */
const FORMATS: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'PT1H',
  email: 'somebody@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

export interface SchemaValue {
  value: unknown;
  /** Rules of the schema that the value may break. */
  unmet: string[];
}

/** Makes a value with all that a schema requires. Its texts are `text`; everything else is as small as possible. */
export function valueFor(schema: object, text: string): SchemaValue {
  const maker = new ValueMaker(schema as Schema, text);
  try {
    return { value: maker.of(schema, 0), unmet: [...maker.unmet] };
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    return { value: {}, unmet: [...maker.unmet, error.rule] };
  }
}

/** Thrown if no value can be made that follows the rule. */
class NoValue extends Error {
  constructor(readonly rule: string) {
    super(`No value is made for ${rule}`);
  }
}

class ValueMaker {
  readonly unmet = new Set<string>();
  private made = 0;

  constructor(
    private readonly root: Schema,
    private readonly text: string,
  ) {}

  of(anySchema: unknown, references: number): unknown {
    this.count(1);
    const schema = this.merged(anySchema);
    for (const rule of UNKNOWN_RULES) if (rule in schema) this.unmet.add(rule);
    if (typeof schema.$ref === 'string') return this.ofReference(schema.$ref, references);
    const given = [schema.const, schema.default, itemsOf(schema.enum)[0]].find((value) => value !== undefined);
    if (given !== undefined) return given;
    const alternatives = [...itemsOf(schema.anyOf), ...itemsOf(schema.oneOf)];
    return alternatives.length > 0 ? this.oneOf(schema, alternatives, references) : this.ofType(schema, references);
  }

  private count(values: number): void {
    this.made += values;
    if (this.made > MAX_VALUES) throw new NoValue('its size');
  }

  /** Merges a schema with the parts of its `allOf`. */
  private merged(given: unknown, depth = 0): Schema {
    if (!isJsonObject(given)) return {};
    if (depth > MAX_ALL_OF_DEPTH) throw new NoValue('its size');
    const { allOf, ...own } = given as Schema;
    const parts = itemsOf(allOf);
    this.count(parts.length);
    return parts.map((part) => this.merged(this.dereferenced(part), depth + 1)).reduce(merge, own);
  }

  private dereferenced(part: unknown): unknown {
    return isJsonObject(part) && typeof part.$ref === 'string' ? this.at(part.$ref) : part;
  }

  private ofReference(reference: string, references: number): unknown {
    if (references >= MAX_REFERENCES) throw new NoValue('its size');
    return this.of(this.at(reference), references + 1);
  }

  /** Follows a reference. Only references within the schema itself are supported. */
  private at(reference: string): unknown {
    if (!reference.startsWith('#')) throw new NoValue('$ref');
    let found: unknown = this.root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) throw new NoValue('$ref');
      found = (found as Schema)[name];
    }
    return found;
  }

  /** Makes a value for the first alternative that can be satisfied within the limits. */
  private oneOf({ anyOf: _, oneOf: __, ...common }: Schema, alternatives: unknown[], references: number): unknown {
    let last: unknown;
    for (const alternative of alternatives) {
      try {
        return this.of(merge(common, this.merged(alternative)), references);
      } catch (error) {
        if (!(error instanceof NoValue) || this.made > MAX_VALUES) throw error;
        last = error;
      }
    }
    throw last;
  }

  private ofType(schema: Schema, references: number): unknown {
    switch (typeOf(schema)) {
      case 'string':
        return this.textFor(schema);
      case 'integer':
        return numberFor(schema, 1);
      case 'number':
        return numberFor(schema, 0);
      case 'boolean':
        return false;
      case 'null':
        return null;
      case 'array':
        return this.listFor(schema, references);
      default:
        return this.objectFor(schema, references);
    }
  }

  private textFor({ format, pattern, minLength, maxLength }: Schema): string {
    const written = typeof format === 'string' ? FORMATS[format] : undefined;
    // A pattern beside a known format usually describes the same format, so it is not reported.
    if (written === undefined && pattern !== undefined) this.unmet.add('pattern');
    if (written === undefined && format !== undefined) this.unmet.add('format');
    const least = numberOr(minLength, 0);
    if (least > MAX_VALUES) throw new NoValue('its size');
    return (written ?? this.text).padEnd(least, '.').slice(0, numberOr(maxLength, Infinity));
  }

  private listFor({ prefixItems, items, minItems, uniqueItems }: Schema, references: number): unknown[] {
    const length = numberOr(minItems, 0);
    if (length > MAX_VALUES) throw new NoValue('its size');
    if (uniqueItems === true && length > 1) this.unmet.add('uniqueItems');
    const first = itemsOf(prefixItems);
    return Array.from({ length }, (_, at) => this.of(first[at] ?? items, references));
  }

  private objectFor({ properties, required }: Schema, references: number): object {
    const schemas = membersOf(properties);
    const names = itemsOf(required).filter((name) => typeof name === 'string');
    return Object.fromEntries(names.map((name) => [name, this.of(schemas[name], references)]));
  }
}

/** Merges two schemas. The second takes precedence, but properties and required names of both are kept. */
function merge(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    ...((one.properties ?? other.properties) !== undefined && {
      properties: { ...membersOf(one.properties), ...membersOf(other.properties) },
    }),
    ...((one.required ?? other.required) !== undefined && {
      required: [...new Set([...itemsOf(one.required), ...itemsOf(other.required)])],
    }),
  };
}

/** Returns the first of several types. A schema without a type that describes items is an array. */
function typeOf({ type, items, prefixItems, properties }: Schema): unknown {
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  return properties === undefined && (items ?? prefixItems) !== undefined ? 'array' : undefined;
}

/** Returns zero if it is allowed, else a number near the bounds. `wholeStep` is 1 for integers. */
function numberFor(schema: Schema, wholeStep: 0 | 1): number {
  const [minimum, above] = [schema.minimum, schema.exclusiveMinimum].map((bound) => numberOr(bound, -Infinity));
  const [maximum, below] = [schema.maximum, schema.exclusiveMaximum].map((bound) => numberOr(bound, Infinity));
  const fits = (value: number) => value >= minimum! && value > above! && value <= maximum! && value < below!;
  const lowest = Math.max(minimum!, above!);
  const highest = Math.min(maximum!, below!);
  const step = numberOr(schema.multipleOf, wholeStep);
  const [up, down] =
    step > 0 ? [Math.ceil(lowest / step) * step, Math.floor(highest / step) * step] : [lowest, highest];
  const further = step || 1;
  const between = step > 0 ? [] : [(lowest + highest) / 2];
  return [0, up, up + further, down, down - further, ...between].find(fits) ?? 0;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function membersOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}
