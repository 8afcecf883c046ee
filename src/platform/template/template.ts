import { type FilterImplOptions, Liquid } from 'liquidjs';
import { isWholeCondition } from './whole-condition.js';

const MAX_TEMPLATE_CHARACTERS = 100_000;
const MAX_RENDER_MS = 200;
const MAX_MEMORY = 10_000_000;

/** Reads no files: there is nothing to include. */
const engine = new Liquid({
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: MAX_TEMPLATE_CHARACTERS,
  renderLimit: MAX_RENDER_MS,
  memoryLimit: MAX_MEMORY,
});

/** Of these each item costs an evaluation, between which nobody looks at the time. */
const COSTLY = ['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'];
/** Of the memory that a template may take, for each item of a list that a filter is given. */
const ITEM_COST = 5;
const SORTED_ITEM_COST = 50;

type FilterHandler = Extract<FilterImplOptions, (...given: never[]) => unknown>;

for (const name of COSTLY) delete engine.filters[name];
for (const [name, filter] of Object.entries(engine.filters)) {
  engine.filters[name] = bounded(filter, name.startsWith('sort') ? SORTED_ITEM_COST : ITEM_COST);
}

/** A filter that looks at the time, and at how long a list is, before it begins: the engine looks between tags only. */
function bounded(filter: FilterImplOptions, itemCost: number): FilterImplOptions {
  const { handler, raw } = typeof filter === 'function' ? { handler: filter, raw: false } : filter;
  const careful: FilterHandler = function careful(value: unknown, ...given: unknown[]): unknown {
    this.context.renderLimit.check(performance.now());
    if (Array.isArray(value)) this.context.memoryLimit.use(itemCost * value.length);
    return handler.call(this, value, ...given) as unknown;
  };
  return { handler: careful, raw };
}

/** `{{ input.lines }}` and nothing else. */
const SINGLE_VALUE = /^\s*\{\{-?((?:(?!\}\}).)+?)-?\}\}\s*$/s;

export type Variables = Record<string, unknown>;

/** What is wrong with a text as a template, for people, or nothing. */
export function templateFault(text: string): string | undefined {
  try {
    engine.parse(text);
    return undefined;
  } catch {
    return 'is no valid Liquid template';
  }
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

/**
 * Fills all texts in a value. One that is a single `{{ … }}` becomes that value as it is, a list or a number too; what
 * is filled in can therefore never become part of the structure.
 */
export async function fill(value: unknown, variables: Variables): Promise<unknown> {
  if (typeof value === 'string') return fillText(value, variables);
  if (Array.isArray(value)) return Promise.all(value.map((item) => fill(item, variables)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(async ([name, member]) => [name, await fill(member, variables)] as const);
  return Object.fromEntries(await Promise.all(members));
}

/** A filled text that stays one. */
export async function fillToText(text: string, variables: Variables): Promise<string> {
  if (!text.includes('{')) return text;
  return String(await engine.render(engine.parse(text), variables));
}

export async function holds(condition: string, variables: Variables): Promise<boolean> {
  const text = String(await engine.render(engine.parse(`{% if ${condition} %}yes{% endif %}`), variables));
  return text === 'yes';
}

async function fillText(text: string, variables: Variables): Promise<unknown> {
  const expression = SINGLE_VALUE.exec(text)?.[1];
  if (expression === undefined) return fillToText(text, variables);
  const value: unknown = await engine.evalValue(expression.trim(), { ...variables });
  return value ?? '';
}
