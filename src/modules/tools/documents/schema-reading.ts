import { Ajv2020, type KeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';

const MAX_PATTERN = 1_000;
/** Of all patterns: each counted repetition stands in their programs as often as it counts. */
const MAX_PATTERN_STEPS = 10_000;
/** What a validation may come to do with texts: each step of a pattern with each character, about half a second. */
const MAX_READ = 20_000_000;
/** A format is a pattern of ours, of about as many steps. */
const FORMAT_STEPS = 10;

/** More than a validation may read. Whoever sent the input can send less of it. */
export class TooMuchToRead extends Error {}

/** A schema, compiled, so that what its keywords read of one input has a bound. */
export class SchemaReading {
  /** The schema itself, which is read first, is as short as its document. */
  private left = Infinity;
  private patternSteps = 0;
  private readonly validate: ValidateFunction;

  constructor(schema: object) {
    const ajv = new Ajv2020({
      allErrors: true,
      strict: false,
      validateFormats: true,
      addUsedSchema: false,
      code: { regExp: Object.assign((pattern: string) => this.pattern(pattern), { code: 'linear' }) },
    });
    this.boundFormats(ajv);
    this.boundLengths(ajv);
    this.boundUniqueItems(ajv);
    this.validate = ajv.compile(schema);
  }

  /** What is wrong with the input. Throws where it is more than can be read. */
  errorsIn(input: unknown) {
    this.left = MAX_READ;
    return this.validate(input) ? [] : (this.validate.errors ?? []);
  }

  private read(text: string, steps = 1): void {
    this.left -= steps * text.length;
    if (this.left < 0) throw new TooMuchToRead();
  }

  /** Patterns of strangers take a time that is linear in the text, and together have only so many steps. */
  private pattern(pattern: string): RegExp {
    if (pattern.length > MAX_PATTERN) throw new Error(`it has a pattern of more than ${MAX_PATTERN} characters`);
    const regExp = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const steps = regExp.programSize();
    this.patternSteps += steps;
    if (this.patternSteps > MAX_PATTERN_STEPS)
      throw new Error('its patterns are too many, or count to numbers too high');
    const test = (text: string) => {
      this.read(text, steps);
      return regExp.matcher(text).find();
    };
    // Ajv tells patterns apart by what they read as.
    return { test, toString: () => pattern } as unknown as RegExp;
  }

  private boundFormats(ajv: Ajv2020): void {
    formats.default(ajv, { mode: 'fast' });
    for (const [name, format] of Object.entries(ajv.formats)) {
      if (format === undefined || format === true) continue;
      const { type, validate: isOf } = 'validate' in format ? format : { type: 'string', validate: format };
      if (type === 'number') continue;
      const validate = (text: string) => {
        this.read(text, FORMAT_STEPS);
        return isOf instanceof RegExp ? isOf.test(text) : (isOf as (text: string) => boolean)(text);
      };
      ajv.addFormat(name, { type: 'string', validate });
    }
  }

  /** Lengths are counted in characters, of which some are two in a text. */
  private boundLengths(ajv: Ajv2020): void {
    const bound = (keyword: string, isAllowed: (length: number, limit: number) => boolean) => {
      const { error } = ajv.getKeyword(keyword) as KeywordDefinition;
      const validate = (limit: number, text: string) => {
        this.read(text);
        return isAllowed(text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0), limit);
      };
      ajv.removeKeyword(keyword);
      ajv.addKeyword({ keyword, type: 'string', schemaType: 'number', ...(error && { error }), validate });
    };
    bound('minLength', (length, least) => length >= least);
    bound('maxLength', (length, most) => length <= most);
  }

  /** Ajv compares each with each. */
  private boundUniqueItems(ajv: Ajv2020): void {
    ajv.removeKeyword('uniqueItems');
    ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      error: { message: 'must not have the same item twice' },
      validate: (isWanted: boolean, items: unknown[]) => {
        if (!isWanted) return true;
        const texts = items.map(canonical);
        for (const text of texts) this.read(text);
        return new Set(texts).size === items.length;
      },
    });
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
