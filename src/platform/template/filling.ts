import type { Context } from 'liquidjs';
import { engine, liquid, Written } from './engine.js';

/** Matches a text that is a single `{{ input.lines }}` and nothing else. */
const SINGLE_VALUE = /^\s*\{\{-?((?:(?!\}\}).)+?)-?\}\}\s*$/s;

export type Variables = Record<string, unknown>;

export type TemplateFault = 'failed' | 'time' | 'size';

const MESSAGES: Record<TemplateFault, string> = {
  failed: 'A template fails with the values that it was filled with',
  time: 'A template takes too long',
  size: 'A template produces too much text, or needs too much memory',
};

/** A template that fails with these values, takes too long, or produces too much. */
export class TemplateFailure extends Error {
  constructor(
    readonly fault: TemplateFault,
    cause?: unknown,
  ) {
    super(MESSAGES[fault], { cause });
    this.name = 'TemplateFailure';
  }
}

export interface FillingLimits {
  /** The length of all filled texts together. */
  characters: number;
  /** The memory for filling them, in characters or items. */
  memory?: number;
}

/** Fills templates that belong together. They share one limit each for time, memory and characters. */
export class Filling {
  private readonly context: Context;
  private left: number;
  /** The present item of a list. */
  private item: Variables = {};

  constructor(
    private readonly variables: Variables,
    { characters, memory }: FillingLimits,
  ) {
    this.left = characters;
    const limits = { sync: true, ...(memory !== undefined && { memoryLimit: memory }) };
    const { Context } = liquid();
    this.context = new Context({}, engine().options, limits, { liquid: engine() });
  }

  /**
   * Fills all texts in a value. A text that is a single `{{ … }}` becomes that value as it is, also a list or a number.
   * Values can therefore never become part of the structure.
   */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.single(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.value(member)]));
  }

  /** Fills a value for each item that meets the condition. Its texts and the condition see `item` and `index`. */
  list(items: readonly unknown[], value: unknown, condition?: string): unknown[] {
    return items.flatMap((item, index) => {
      this.item = { item, index };
      if (condition !== undefined && !this.holds(condition)) return [];
      const { left } = this;
      const filled = this.value(value);
      // Texts without templates count as well, because each item repeats them.
      this.left = left;
      this.careful(() => this.useAll(filled));
      return [filled];
    });
  }

  /** Fills all texts in a value, each of which stays a text. */
  texts(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.texts(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.texts(member)]));
  }

  /** Fills one text, which stays a text. */
  text(text: string): string {
    if (!text.includes('{')) return text;
    return this.careful((context) => {
      const written = new Written((characters) => this.use(characters));
      const { renderer } = engine();
      const rendering = renderer.renderTemplates(engine().parse(text), context, written);
      liquid().toValueSync(rendering as IterableIterator<string>);
      return written.buffer;
    });
  }

  holds(condition: string): boolean {
    return this.text(`{% if ${condition} %}yes{% endif %}`) === 'yes';
  }

  private single(text: string): unknown {
    const expression = SINGLE_VALUE.exec(text)?.[1];
    if (expression === undefined) return this.text(text);
    return this.careful((context) => {
      const value: unknown = engine().evalValueSync(expression.trim(), context) ?? '';
      this.useAll(value);
      return value;
    });
  }

  private careful<T>(work: (context: Context) => T): T {
    try {
      this.context.renderLimit.check(performance.now());
      // Each text has its own scope, so that none sees what another one assigns.
      return work(this.context.spawn({ ...this.variables, ...this.item }));
    } catch (error) {
      throw new TemplateFailure(faultOf(error), error);
    }
  }

  private use(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw new Error('characters limit exceeded');
  }

  /** Counts a value by the least length that it has once written. The same list may occur in it very often. */
  private useAll(value: unknown): void {
    if (typeof value !== 'object' || value === null) return this.use(String(value).length);
    this.use(2);
    if (Array.isArray(value)) {
      for (const item of value as readonly unknown[]) {
        this.use(1);
        this.useAll(item);
      }
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      this.use(name.length + 4);
      this.useAll(member);
    }
  }
}

/** The engine reports which limit was exceeded only in its message. */
function faultOf(error: unknown): TemplateFault {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('render limit exceeded')) return 'time';
  return /(memory alloc|parse length|characters) limit exceeded/.test(message) || error instanceof RangeError
    ? 'size'
    : 'failed';
}
