import { JsonText } from '../../kernel/json-text.js';

/** What templates see, by name: JSON, or JSON by name. */
export type Scope = Readonly<Record<string, JsonText | Readonly<Record<string, JsonText>>>>;

/** The same for another thread: texts are what is cheaply brought there. */
export type ScopeTexts = Record<string, string | Record<string, string>>;

export function scopeOf(values: Record<string, unknown>): Scope {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, JsonText.of(value)]])),
  );
}

export function textsOf(scope: Scope): ScopeTexts {
  return Object.fromEntries(
    Object.entries(scope).map(([name, json]) => [name, json instanceof JsonText ? json.text : textsIn(json)]),
  );
}

function textsIn(group: Readonly<Record<string, JsonText>>): Record<string, string> {
  return Object.fromEntries(Object.entries(group).map(([name, { text }]) => [name, text]));
}

/** Each text is parsed when a template reads it. */
export function variablesOf(texts: ScopeTexts): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, json]) => [name, typeof json === 'string' ? JSON.parse(json) : lazily(json)]),
  );
}

function lazily(texts: Record<string, string>): object {
  const values = {};
  for (const [name, text] of Object.entries(texts)) {
    const json = JsonText.parsed(text);
    Object.defineProperty(values, name, { enumerable: true, get: () => json.value });
  }
  return values;
}
