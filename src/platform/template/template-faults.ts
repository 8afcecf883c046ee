import { engine } from './engine.js';
import { isWholeCondition } from './whole-condition.js';

/** Parsing a tag costs as much as parsing a hundred characters. */
const MAX_TAGS = 500;
const MAX_TAGS_TOGETHER = 10_000;
const TAG_BEGINS = /\{[{%]/;

/** Returns what is wrong with a text as a template, in words for users, or undefined. */
export function templateFault(text: string): string | undefined {
  if (!TAG_BEGINS.test(text)) return undefined;
  if (tagsIn(text) > MAX_TAGS) return `has more than ${MAX_TAGS} tags`;
  try {
    engine().parse(text);
    return undefined;
  } catch {
    return 'is not a valid Liquid template';
  }
}

/** Returns why the texts in a value have too many tags to be parsed as templates, in words for users, or undefined. */
export function tooManyTags(value: unknown, most = MAX_TAGS_TOGETHER): string | undefined {
  return tagsIn(value) > most ? `has more than ${most} tags of templates` : undefined;
}

/**
 * Returns why the templates in a value are too long to be parsed while other work waits, in words for users, or
 * undefined.
 */
export function tooLongTemplates(value: unknown, most: number): string | undefined {
  return charactersIn(value) > most ? `has templates of more than ${most} characters` : undefined;
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return TAG_BEGINS.test(value) ? value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + charactersIn(member), 0);
}

function tagsIn(value: unknown): number {
  if (typeof value === 'string') return value.match(/\{[{%]/g)?.length ?? 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + tagsIn(member), 0);
}

/** Returns what is wrong with a text as a condition, in words for users, or undefined. */
export function conditionFault(text: string): string | undefined {
  try {
    if (/[{%]%|%\}|\{\{|\}\}/.test(text)) throw new Error('It would end its own tag');
    engine().parse(`{% if ${text} %}{% endif %}`);
  } catch {
    return 'is not a valid Liquid condition, such as input.amount > 100';
  }
  return isWholeCondition(text) ? undefined : 'is not a complete condition: it lacks a value, or an operator';
}

/** Returns what is wrong with the texts in a value as templates, each with its path. */
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
