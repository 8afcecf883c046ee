import { isNestedDeeper, tooMuchToParse } from './json-rules.js';

/** What a text is as JSON; undefined, which JSON has not, where it is none or more than a body may be. */
export function parseJson(text: string): unknown {
  try {
    if (tooMuchToParse(text)) return undefined;
    const value: unknown = JSON.parse(text);
    return isNestedDeeper(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
