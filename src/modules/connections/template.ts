import { Liquid, type Template } from 'liquidjs';

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

/** `{{ messages }}` and nothing else. */
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
  const templates: Template[] = engine.parse(text);
  return String(await engine.render(templates, variables));
}

async function fillText(text: string, variables: Variables): Promise<unknown> {
  const expression = SINGLE_VALUE.exec(text)?.[1];
  if (expression === undefined) return fillToText(text, variables);
  const value: unknown = await engine.evalValue(expression.trim(), { ...variables });
  return value ?? '';
}
