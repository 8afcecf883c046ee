import { exampleId, ID_PREFIXES, type IdKind, idPattern } from '../../src/kernel/ids.js';
import type { Dice } from '../support/dice.js';
import { NAUGHTY_STRINGS } from '../support/naughty.js';
import { ODD_VALUES } from '../support/spoil.js';
import type { ApiDocument, Schema } from './document.js';

const DEEPEST = 6;
/** No body is much longer, whatever its schema: those past every limit are tested by their own. */
const MOST_CHARACTERS = 2_000_000;
const FORMATS: Record<string, string[]> = {
  'date-time': ['2026-01-01T00:00:00Z', '2026-02-29T00:00:00Z', '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z'],
  date: ['2026-01-01', '2026-02-30'],
  uri: ['https://example.test/a', 'http://127.0.0.1:1/', 'file:///etc/passwd'],
  uuid: ['00000000-0000-4000-8000-000000000000'],
};
const ID_OF_PATTERN = new Map((Object.keys(ID_PREFIXES) as IdKind[]).map((kind) => [idPattern(kind), exampleId(kind)]));

/** Values for schemas of the document: mostly good ones at their bounds, sometimes just past them or something else. */
export class Generated {
  private left = MOST_CHARACTERS;

  constructor(
    private readonly document: ApiDocument,
    private readonly roll: Dice,
  ) {}

  /** `oddly`: one in so many values has nothing to do with its schema; 0 is none. */
  value(schema: Schema, oddly: number, depth = 0): unknown {
    const known = this.document.resolve(schema);
    this.left -= 10;
    if (oddly > 0 && this.isOneIn(oddly)) return this.roll(ODD_VALUES);
    if (known.const !== undefined) return known.const;
    if (known.enum) return this.roll(known.enum);
    const alternatives = known.anyOf ?? known.oneOf;
    if (alternatives) return this.value(this.roll(alternatives), oddly, depth);
    if (known.allOf) return Object.assign({}, ...known.allOf.map((part) => this.value(part, oddly, depth))) as unknown;
    switch (this.roll([known.type ?? 'any'].flat())) {
      case 'object':
        return this.object(known, oddly, depth);
      case 'array':
        return this.array(known, oddly, depth);
      case 'string':
        return this.text(known, oddly);
      case 'integer':
        return Math.trunc(this.number(known, oddly));
      case 'number':
        return this.number(known, oddly);
      case 'boolean':
        return this.roll([true, false]);
      case 'null':
        return null;
      default:
        return this.roll(ODD_VALUES);
    }
  }

  private object(schema: Schema, oddly: number, depth: number): unknown {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const chosen = Object.entries(properties).filter(
      ([name]) =>
        required.includes(name) !== (oddly > 0 && this.isOneIn(4 * oddly)) || (depth < DEEPEST && this.isOneIn(2)),
    );
    const made = Object.fromEntries(chosen.map(([name, part]) => [name, this.value(part, oddly, depth + 1)]));
    if (typeof additionalProperties !== 'object' || depth >= DEEPEST) return made;
    for (let count = this.roll([0, 1, 3]); count > 0; count -= 1) {
      const name = propertyNames ? this.value(propertyNames, 0) : this.roll(NAUGHTY_STRINGS);
      made[String(name)] = this.value(additionalProperties, oddly, depth + 1);
    }
    return made;
  }

  private array({ items, prefixItems = [], minItems = 0, maxItems = 1_000 }: Schema, oddly: number, depth: number) {
    const least = Math.max(minItems, depth < DEEPEST ? this.roll([0, 1, 2]) : 0);
    const length =
      oddly > 0 && this.left > 0 && this.isOneIn(10) ? Math.min(maxItems + 1, 1_001) : Math.min(least, maxItems);
    return Array.from({ length }, (_, at) => {
      const schema = prefixItems[at] ?? items;
      return schema ? this.value(schema, depth < DEEPEST ? oddly : 0, depth + 1) : this.roll(ODD_VALUES);
    });
  }

  private text({ pattern, format, minLength = 0, maxLength = 100_000 }: Schema, oddly: number): string {
    const formed = ID_OF_PATTERN.get(pattern ?? '') ?? (FORMATS[format ?? ''] && this.roll(FORMATS[format!]!));
    if (formed && !(oddly > 0 && this.isOneIn(3))) return formed;
    const longest = Math.min(maxLength, 20_000);
    const lengths = oddly > 0 ? [minLength, minLength - 1, longest, longest + 1] : [minLength, longest];
    if (this.left <= 0 || !this.isOneIn(3)) return this.roll(NAUGHTY_STRINGS);
    const length = Math.max(0, this.roll(lengths));
    this.left -= length;
    return this.roll(['x', 'é', '\u{1F511}', '"', '\\', ' ']).repeat(length);
  }

  private number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema, oddly: number): number {
    const least = minimum ?? exclusiveMinimum ?? -1;
    const most = maximum ?? exclusiveMaximum ?? Number.MAX_SAFE_INTEGER;
    const within = [least, most, least + 1, (least + most) / 2];
    return this.roll(oddly > 0 ? [...within, least - 1, most + 1, -0, 1e308] : within);
  }

  private isOneIn(count: number): boolean {
    return this.roll(Array.from({ length: count }, (_, at) => at)) === 0;
  }
}
