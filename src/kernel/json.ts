import { isNestedDeeper, tooMuchToParse } from './json-rules.js';

/**
 * Parses a text as JSON. Returns undefined, which is not a JSON value, if it is not JSON or is larger than a body may
 * be.
 */
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
