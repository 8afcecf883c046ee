import { JsonText } from '../../kernel/json-text.js';

/** The values that templates see, by name: JSON, or a group of JSON by name. */
export type Scope = Readonly<Record<string, JsonText | Readonly<Record<string, JsonText>>>>;

/** A scope for another thread, as texts, because those are cheap to send there. */
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

/** Makes the variables of a scope. The texts of a group are parsed when a template reads them. */
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
