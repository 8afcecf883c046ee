import { Context, toValueSync } from 'liquidjs';
import { engine, Written } from './engine.js';
import { isWholeCondition } from './whole-condition.js';

/** `{{ input.lines }}` and nothing else. */
const SINGLE_VALUE = /^\s*\{\{-?((?:(?!\}\}).)+?)-?\}\}\s*$/s;

export type Variables = Record<string, unknown>;

/** Reading a tag costs as much as reading a hundred characters: nobody else is served meanwhile. */
const MAX_TAGS = 500;
const MAX_TAGS_TOGETHER = 10_000;

/** What is wrong with a text as a template, for people, or nothing. */
export function templateFault(text: string): string | undefined {
  if (tagsIn(text) > MAX_TAGS) return `has more than ${MAX_TAGS} tags`;
  try {
    engine.parse(text);
    return undefined;
  } catch {
    return 'is no valid Liquid template';
  }
}

/** Why the texts in a value are too much to be read as templates, for people, or nothing. */
export function tooManyTags(value: unknown): string | undefined {
  return tagsIn(value) > MAX_TAGS_TOGETHER ? `has more than ${MAX_TAGS_TOGETHER} tags of templates` : undefined;
}

function tagsIn(value: unknown): number {
  if (typeof value === 'string') return value.match(/\{[{%]/g)?.length ?? 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + tagsIn(member), 0);
}

/** What is wrong with a text as a condition, for people, or nothing. */
export function conditionFault(text: string): string | undefined {
  try {
    if (/[{%]%|%\}|\{\{|\}\}/.test(text)) throw new Error('It would end its own tag');
    engine.parse(`{% if ${text} %}{% endif %}`);
  } catch {
    return 'is no valid Liquid condition, such as input.amount > 100';
  }
  return isWholeCondition(text) ? undefined : 'is no whole condition: it lacks a value, or an operator';
}

/** What is wrong with the texts in a value as templates, each with where it stands. */
export function templateFaults(
  value: unknown,
  at: (string | number)[] = [],
): { path: (string | number)[]; message: string }[] {
  if (typeof value === 'string') {
    const message = templateFault(value);
    return message === undefined ? [] : [{ path: at, message }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    return templateFaults(member, [...at, Array.isArray(value) ? Number(name) : name]);
  });
}

/** A template that came to nothing with these values, takes too long, or comes to too much. */
export class TemplateFailure extends Error {}

const MAX_CHARACTERS = 1024 * 1024;

/** Fills what belongs together: all its texts share one time, one memory, and the characters that they may come to. */
export class Filling {
  private readonly context: Context;

  constructor(
    private readonly variables: Variables,
    private left = MAX_CHARACTERS,
  ) {
    this.context = new Context({}, engine.options, { sync: true }, { liquid: engine });
  }

  /**
   * Fills all texts in a value. One that is a single `{{ … }}` becomes that value as it is, a list or a number too; what
   * is filled in can therefore never become part of the structure.
   */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.single(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.value(member)]));
  }

  /** A filled text that stays one. */
  text(text: string): string {
    if (!text.includes('{')) return text;
    return this.careful((context) => {
      const written = new Written((characters) => this.use(characters));
      toValueSync(engine.renderer.renderTemplates(engine.parse(text), context, written) as IterableIterator<string>);
      return written.buffer;
    });
  }

  private single(text: string): unknown {
    const expression = SINGLE_VALUE.exec(text)?.[1];
    if (expression === undefined) return this.text(text);
    return this.careful((context) => {
      const value: unknown = engine.evalValueSync(expression.trim(), context) ?? '';
      this.useAll(value);
      return value;
    });
  }

  private careful<T>(work: (context: Context) => T): T {
    try {
      this.context.renderLimit.check(performance.now());
      // Of its own: what one text assigns, another does not see.
      return work(this.context.spawn({ ...this.variables }));
    } catch (error) {
      throw new TemplateFailure('A template failed with what it was filled with', { cause: error });
    }
  }

  private use(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw new Error('It comes to too many characters');
  }

  /** As long as it is at least, once it is written down: the same list may be in it very often. */
  private useAll(value: unknown): void {
    if (typeof value !== 'object' || value === null) return this.use(String(value).length);
    this.use(2);
    for (const [name, member] of Object.entries(value)) {
      this.use(Array.isArray(value) ? 1 : name.length + 4);
      this.useAll(member);
    }
  }
}

export function holds(condition: string, variables: Variables): boolean {
  return new Filling(variables).text(`{% if ${condition} %}yes{% endif %}`) === 'yes';
}
