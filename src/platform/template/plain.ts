import { JsonText } from '../../kernel/json-text.js';
import { Filling } from './filling.js';
import type { Scope } from './scope.js';
import type { FillAsk } from './template.thread.js';

/**
 * Fills plain templates in the process itself, because nothing in them can take long. They are short, name values and
 * compare them, and have no tag, filter or range. Their output is counted as it is written, and is small. All other
 * templates go to a compute thread.
 */

const MOST_CHARACTERS = 4_000;
const MOST_TAGS = 100;
const MOST_MEMBERS = 200;
const MOST_OF_CONDITION = 500;
/** The limits of the output, in characters, and of the memory, in characters and items. */
const LIMITS = { characters: 32_768, memory: 20_000 };
/** A longer JSON text is not parsed in the process itself. */
const LONGEST_JSON = 65_536;

const PATH = String.raw`[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[\d{1,6}\])*`;
const TAG = new RegExp(String.raw`\{\{-?\s*${PATH}\s*-?\}\}`, 'g');
const TOKEN = new RegExp(String.raw`\s+|${PATH}|-?\d+(?:\.\d+)?|'[^']*'|"[^"]*"|[=!]=|[<>]=?`, 'y');
/** Matches the first name of a path and the one after it, by which the needed values are selected. */
const HEAD = /([A-Za-z_][\w-]*)(?:\.([A-Za-z_][\w-]*))?/g;

/** Fills the templates, or returns undefined if they are not plain or their output is not small. */
export function filledHere({ condition, texts, value }: FillAsk, scope: Scope): PlainFilled | undefined {
  const measure = new Measure();
  if (condition !== undefined && !isPlainCondition(condition)) return undefined;
  if (!measure.takes(texts) || !measure.takes(value)) return undefined;
  const variables = variablesFor(`${condition ?? ''} ${measure.tags.join(' ')}`, scope);
  if (!variables) return undefined;
  try {
    const filling = new Filling(variables, LIMITS);
    return {
      holds: condition !== undefined && filling.holds(condition),
      texts: filling.texts(texts),
      value: value === undefined ? undefined : filling.value(value),
    };
  } catch {
    // A thread reports what is wrong with the template, or fills it after all.
    return undefined;
  }
}

export interface PlainFilled {
  holds: boolean;
  texts: unknown;
  value: unknown;
}

/** Measures templates, and stops as soon as they are not plain. */
class Measure {
  readonly tags: string[] = [];
  private characters = 0;
  private members = 0;

  takes(value: unknown): boolean {
    if (typeof value === 'string') return this.takesText(value);
    if (typeof value !== 'object' || value === null) return true;
    const members = Object.values(value);
    this.members += members.length;
    return this.members <= MOST_MEMBERS && members.every((member) => this.takes(member));
  }

  private takesText(text: string): boolean {
    this.characters += text.length;
    if (this.characters > MOST_CHARACTERS) return false;
    const rest = text.replace(TAG, (tag) => {
      this.tags.push(tag);
      return ' ';
    });
    return this.tags.length <= MOST_TAGS && !/\{[{%]/.test(rest);
  }
}

/** A condition with `contains` is not plain, because it searches lists and texts. */
function isPlainCondition(text: string): boolean {
  if (text.length > MOST_OF_CONDITION || /\bcontains\b/.test(text)) return false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) if (!TOKEN.test(text)) return false;
  return true;
}

/** Returns the values that the templates name, or undefined if one of them would have to be parsed from a long text. */
function variablesFor(text: string, scope: Scope): Record<string, unknown> | undefined {
  const variables: Record<string, unknown> = {};
  for (const [, name = '', member] of text.matchAll(HEAD)) {
    if (!Object.hasOwn(scope, name)) continue;
    const json = scope[name]!;
    if (json instanceof JsonText) {
      if (!json.isShort(LONGEST_JSON)) return undefined;
      variables[name] = json.value;
    } else {
      const one = member !== undefined && Object.hasOwn(json, member) ? json[member] : undefined;
      if (member === undefined || one?.isShort(LONGEST_JSON) === false) return undefined;
      const group = (variables[name] ??= {}) as Record<string, unknown>;
      if (one) group[member] = one.value;
    }
  }
  return variables;
}
