import { isJsonObject } from '../../kernel/json.js';

/** As somebody wrote it: what is no schema says nothing. */
type Schema = Record<string, unknown>;

/** For these no value is made: it might not fit. */
const UNKNOWN_RULES = [
  ...['not', 'if', 'contains', 'minProperties'],
  ...['propertyNames', 'dependentRequired', 'dependentSchemas'],
];

const MOST_VALUES = 10_000;
/** A schema that stands within itself is left by another way after this many times. */
const MOST_REFERENCES = 4;
const DEEPEST_ALL_OF = 16;

/** Texts of a format that say nothing. */
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

/** A value that fits a schema in what it requires: texts are `text`, the rest is the least there is. */
export function valueFor(schema: object, text: string): SchemaValue {
  const making = new Making(schema as Schema, text);
  try {
    return { value: making.of(schema, 0), unmet: [...making.unmet] };
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    return { value: {}, unmet: [...making.unmet, error.rule] };
  }
}

/** No value is made that keeps to this. */
class NoValue extends Error {
  constructor(readonly rule: string) {
    super(`No value is made for ${rule}`);
  }
}

class Making {
  readonly unmet = new Set<string>();
  private made = 0;

  constructor(
    private readonly root: Schema,
    private readonly text: string,
  ) {}

  of(given: unknown, references: number): unknown {
    this.count(1);
    const schema = this.whole(given);
    for (const rule of UNKNOWN_RULES) if (rule in schema) this.unmet.add(rule);
    if (typeof schema.$ref === 'string') return this.referred(schema.$ref, references);
    const said = [schema.const, schema.default, itemsOf(schema.enum)[0]].find((value) => value !== undefined);
    if (said !== undefined) return said;
    const ways = [...itemsOf(schema.anyOf), ...itemsOf(schema.oneOf)];
    return ways.length > 0 ? this.oneOf(schema, ways, references) : this.ofType(schema, references);
  }

  private count(values: number): void {
    this.made += values;
    if (this.made > MOST_VALUES) throw new NoValue('its size');
  }

  /** With what all of its parts say. */
  private whole(given: unknown, depth = 0): Schema {
    if (!isJsonObject(given)) return {};
    if (depth > DEEPEST_ALL_OF) throw new NoValue('its size');
    const { allOf, ...own } = given as Schema;
    const parts = itemsOf(allOf);
    this.count(parts.length);
    return parts.map((part) => this.whole(this.resolved(part), depth + 1)).reduce(together, own);
  }

  private resolved(part: unknown): unknown {
    return isJsonObject(part) && typeof part.$ref === 'string' ? this.at(part.$ref) : part;
  }

  private referred(reference: string, references: number): unknown {
    if (references >= MOST_REFERENCES) throw new NoValue('its size');
    return this.of(this.at(reference), references + 1);
  }

  /** Only within the schema itself. */
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

  /** The first of which there is an end. */
  private oneOf({ anyOf: _, oneOf: __, ...common }: Schema, ways: unknown[], references: number): unknown {
    let last: unknown;
    for (const way of ways) {
      try {
        return this.of(together(common, this.whole(way)), references);
      } catch (error) {
        if (!(error instanceof NoValue) || this.made > MOST_VALUES) throw error;
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
    // Whoever names a format at times gives its pattern too.
    if (written === undefined && pattern !== undefined) this.unmet.add('pattern');
    if (written === undefined && format !== undefined) this.unmet.add('format');
    const least = numberOr(minLength, 0);
    if (least > MOST_VALUES) throw new NoValue('its size');
    return (written ?? this.text).padEnd(least, '.').slice(0, numberOr(maxLength, Infinity));
  }

  private listFor({ prefixItems, items, minItems, uniqueItems }: Schema, references: number): unknown[] {
    const length = numberOr(minItems, 0);
    if (length > MOST_VALUES) throw new NoValue('its size');
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

/** What the second says wins, but for members: both have theirs. */
function together(one: Schema, other: Schema): Schema {
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

/** Of several the first; what says how items are is a list. */
function typeOf({ type, items, prefixItems, properties }: Schema): unknown {
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  return properties === undefined && (items ?? prefixItems) !== undefined ? 'array' : undefined;
}

/** Zero where it may be, else the nearest that is found; whole numbers go by steps of one. */
function numberFor(schema: Schema, wholeStep: 0 | 1): number {
  const [minimum, above] = [schema.minimum, schema.exclusiveMinimum].map((bound) => numberOr(bound, -Infinity));
  const [maximum, below] = [schema.maximum, schema.exclusiveMaximum].map((bound) => numberOr(bound, Infinity));
  const fits = (value: number) => value >= minimum! && value > above! && value <= maximum! && value < below!;
  const least = Math.max(minimum!, above!);
  const most = Math.min(maximum!, below!);
  const step = numberOr(schema.multipleOf, wholeStep);
  const [up, down] = step > 0 ? [Math.ceil(least / step) * step, Math.floor(most / step) * step] : [least, most];
  const further = step || 1;
  const between = step > 0 ? [] : [(least + most) / 2];
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
