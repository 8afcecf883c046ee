import { JsonText } from '../../kernel/json-text.js';
import { Filling } from './filling.js';
import type { Scope } from './scope.js';
import type { FillAsk } from './template.thread.js';

/**
 * Templates that are filled where they are, since nothing in them can take long: they are short, name values and compare
 * them, and have no tag, filter or range. What they come to is counted as it is written, and small; whatever is not is
 * left to a thread.
 */

const MOST_CHARACTERS = 4_000;
const MOST_TAGS = 100;
const MOST_MEMBERS = 200;
const MOST_OF_CONDITION = 500;
/** What they may come to, in characters, and take, in characters and items. */
const LIMITS = { characters: 32_768, memory: 20_000 };
/** A longer text is not parsed here. */
const LONGEST_JSON = 65_536;

const PATH = String.raw`[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[\d{1,6}\])*`;
const TAG = new RegExp(String.raw`\{\{-?\s*${PATH}\s*-?\}\}`, 'g');
const TOKEN = new RegExp(String.raw`\s+|${PATH}|-?\d+(?:\.\d+)?|'[^']*'|"[^"]*"|[=!]=|[<>]=?`, 'y');
/** A name, and the one behind it: all that a path begins with. */
const HEAD = /([A-Za-z_][\w-]*)(?:\.([A-Za-z_][\w-]*))?/g;

/** What the templates come to; nothing where they are not plain, or what they come to is not small. */
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
    // A thread says what is wrong with it, or fills it after all.
    return undefined;
  }
}

export interface PlainFilled {
  holds: boolean;
  texts: unknown;
  value: unknown;
}

/** Goes no further than what is plain goes. */
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

/** `contains` goes through lists and texts, so it is none. */
function isPlainCondition(text: string): boolean {
  if (text.length > MOST_OF_CONDITION || /\bcontains\b/.test(text)) return false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) if (!TOKEN.test(text)) return false;
  return true;
}

/** The values that are named; nothing where one of them would have to be made of a long text. */
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
