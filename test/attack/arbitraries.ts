import fc, { type Arbitrary } from 'fast-check';
import { exampleId, ID_PREFIXES, type IdKind, idPattern } from '../../src/kernel/ids.js';
import { NAUGHTY_STRINGS, ODD_VALUES } from '../support/naughty.js';
import type { ApiDocument, Schema } from './document.js';

const DEEPEST = 6;
/** The limits of texts and lists, whatever their schemas allow. Other tests exceed every documented limit. */
const LONGEST_TEXT = 20_000;
const LONGEST_LIST = 1_000;
const TIMES = ['2026-02-29T00:00:00Z', '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z'];
const ID_OF_PATTERN = new Map((Object.keys(ID_PREFIXES) as IdKind[]).map((kind) => [idPattern(kind), exampleId(kind)]));

const naughty = fc.constantFrom(...NAUGHTY_STRINGS);
const anything = fc.oneof(fc.constantFrom(...ODD_VALUES), fc.jsonValue({ maxDepth: 3 }));

/** Returns `usual`, and `other` once in so many times. */
const rarely = <T>(usual: Arbitrary<T>, times: number, other: Arbitrary<T>) =>
  fc.oneof({ weight: times - 1, arbitrary: usual }, { weight: 1, arbitrary: other });

/**
 * Makes values for the schemas of the document: within their limits, or around them (past the limits, or unrelated).
 */
export class Arbitraries {
  constructor(
    private readonly document: ApiDocument,
    private readonly isAround: boolean,
  ) {}

  of(schema: Schema, depth = 0): Arbitrary<unknown> {
    const good = this.fitting(this.document.resolve(schema), depth);
    return this.isAround ? rarely(good, 6, anything) : good;
  }

  private fitting(schema: Schema, depth: number): Arbitrary<unknown> {
    const { enum: values, anyOf, oneOf = anyOf, allOf, type } = schema;
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (values) return fc.constantFrom(...values);
    if (oneOf) return fc.oneof(...oneOf.map((part) => this.of(part, depth)));
    if (allOf) {
      const parts = fc.tuple(...allOf.map((part) => this.of(part, depth)));
      return parts.map((all) => Object.assign({}, ...all) as unknown);
    }
    return fc.oneof(...[type ?? 'any'].flat().map((one) => this.ofType(one, schema, depth)));
  }

  private ofType(type: string, schema: Schema, depth: number): Arbitrary<unknown> {
    if (type === 'object') return this.object(schema, depth);
    if (type === 'array') return this.list(schema, depth);
    if (type === 'string') return this.text(schema, depth);
    if (type === 'integer' || type === 'number') return this.number(schema, type === 'integer');
    if (type === 'boolean') return fc.boolean();
    return type === 'null' ? fc.constant(null) : anything;
  }

  private object({ properties = {}, required = [], additionalProperties, propertyNames }: Schema, depth: number) {
    const given = Object.entries(properties).filter(([name]) => depth < DEEPEST || required.includes(name));
    const members = Object.fromEntries(given.map(([name, part]) => [name, this.of(part, depth + 1)]));
    const whole = fc.record(members, { requiredKeys: required.filter((name) => name in members) });
    const known = this.isAround ? rarely(whole, 6, fc.record(members, { requiredKeys: [] })) : whole;
    if (typeof additionalProperties !== 'object' || depth >= DEEPEST) return known;
    const names = propertyNames ? this.of(propertyNames).map(asName) : naughty;
    const others = fc.dictionary(names, this.of(additionalProperties, depth + 1), { maxKeys: 3 });
    return fc.tuple(others, known).map(([more, own]) => ({ ...more, ...own }));
  }

  private list({ items = {}, prefixItems, minItems = 0, maxItems = LONGEST_LIST }: Schema, depth: number) {
    if (prefixItems) return fc.tuple(...prefixItems.map((part) => this.of(part, depth + 1)));
    const few = { minLength: minItems, maxLength: Math.max(minItems, Math.min(3, maxItems)) };
    const list = fc.array(depth < DEEPEST ? this.of(items, depth + 1) : anything, few);
    if (!this.isAround || depth >= DEEPEST) return list;
    const length = Math.min(maxItems, LONGEST_LIST) + 1;
    return rarely(
      list,
      10,
      this.of(items, DEEPEST).map((item) => Array.from({ length }, () => item)),
    );
  }

  private text({ pattern, format, minLength = 0, maxLength = LONGEST_TEXT }: Schema, depth: number) {
    const id = ID_OF_PATTERN.get(pattern ?? '');
    const formed = format === 'date-time' ? times : pattern !== undefined && fc.stringMatching(new RegExp(pattern));
    const long = Math.min(maxLength, LONGEST_TEXT);
    const bounds = this.isAround ? [minLength, long, minLength - 1, long + 1] : [minLength, long];
    const atBounds = fc
      .tuple(fc.constantFrom('x', 'é', '\u{1F511}', '"', '\\', ' '), fc.constantFrom(...bounds))
      .map(([character, length]) => character.repeat(Math.max(0, length)));
    const free = depth < DEEPEST ? fc.oneof(naughty, fc.string({ unit: 'binary' }), atBounds) : naughty;
    const fitting = id === undefined ? formed : fc.constant(id);
    if (!fitting) return free;
    return this.isAround ? rarely(fitting, 3, free) : fitting;
  }

  private number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema, isWhole: boolean) {
    const min = minimum ?? exclusiveMinimum ?? -1;
    const max = maximum ?? exclusiveMaximum ?? Number.MAX_SAFE_INTEGER;
    const within = isWhole ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) }) : fc.double({ min, max });
    return this.isAround ? rarely(within, 4, fc.constantFrom(min - 1, max + 1, -0, 0.5, 1e308)) : within;
  }
}

const times = rarely(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  4,
  fc.constantFrom(...TIMES),
);

/** Objects that fast-check makes may have a `toString` that is no function. */
function asName(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
