import type * as Ajvs from 'ajv/dist/2020.js';
import type { Ajv2020, KeywordDefinition, ValidateFunction } from 'ajv/dist/2020.js';
import type Formats from 'ajv-formats';
import type * as Patterns from 're2js';
import { loadedOnUse } from '../../../platform/memory/loaded-on-use.js';

const ajvs = loadedOnUse<typeof Ajvs>('ajv/dist/2020.js');
const formats = loadedOnUse<typeof Formats>('ajv-formats');
const patterns = loadedOnUse<typeof Patterns>('re2js');

const MAX_PATTERN = 1_000;
/** The limit of the steps of all patterns. A counted repetition has as many steps as it counts to. */
const MAX_PATTERN_STEPS = 10_000;
/** The limit of steps times characters that a validation may read. It takes about half a second. */
const MAX_READ = 20_000_000;
/** The steps of a format, which is a pattern of the library of about this size. */
const FORMAT_STEPS = 10;

/** The input has more text than a validation may read. */
export class TooMuchToRead extends Error {}

/** A compiled schema whose keywords read a limited amount of text for each input. */
export class SchemaReading {
  /** There is no limit while the schema itself is compiled, because the size of its document is limited. */
  private left = Infinity;
  private patternSteps = 0;
  private readonly validate: ValidateFunction;

  constructor(schema: object) {
    const { Ajv2020 } = ajvs();
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

  /** Returns the errors of the input. Throws TooMuchToRead if it has too much text. */
  errorsIn(input: unknown) {
    this.left = MAX_READ;
    return this.validate(input) ? [] : (this.validate.errors ?? []);
  }

  private read(text: string, steps = 1): void {
    this.left -= steps * text.length;
    if (this.left < 0) throw new TooMuchToRead();
  }

  /**
   * Compiles a stranger's pattern with RE2, which needs time linear in the text. JavaScript's own engine may need
   * exponential time.
   */
  private pattern(pattern: string): RegExp {
    if (pattern.length > MAX_PATTERN) throw new Error(`it has a pattern of more than ${MAX_PATTERN} characters`);
    const { RE2JS } = patterns();
    const regExp = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const steps = regExp.programSize();
    this.patternSteps += steps;
    if (this.patternSteps > MAX_PATTERN_STEPS)
      throw new Error('it has too many patterns, or patterns that repeat too often');
    const test = (text: string) => {
      this.read(text, steps);
      return regExp.matcher(text).find();
    };
    // Ajv caches patterns by their text.
    return { test, toString: () => pattern } as unknown as RegExp;
  }

  private boundFormats(ajv: Ajv2020): void {
    formats().default(ajv, { mode: 'fast' });
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

  /** JSON Schema counts characters, and a JavaScript text has two units for some of them. */
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

  /** Replaces Ajv's keyword, which compares each item with each other in quadratic time. */
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
