import { isNestedDeeper } from '../../../kernel/json-rules.js';

export interface JsonRequest {
  text: string;
  mostLevels: number;
}

/** Returns the text as JSON without spaces, or undefined if it is not JSON. */
export type JsonAnswer = { isTooDeep: true } | { isTooDeep: false; json: string | undefined };

/** Parses a body that a stranger's server declares as JSON. */
export default function readJson({ text, mostLevels }: JsonRequest): JsonAnswer {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedDeeper(value, mostLevels) ? { isTooDeep: true } : { isTooDeep: false, json: JSON.stringify(value) };
  } catch {
    return { isTooDeep: false, json: undefined };
  }
}
