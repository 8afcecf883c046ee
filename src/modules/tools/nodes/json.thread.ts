import { isNestedDeeper } from '../../../kernel/json-rules.js';

export interface JsonRequest {
  text: string;
  mostLevels: number;
}

/** What the text is as JSON, written shortly; nothing where it is none. */
export type JsonAnswer = { isTooDeep: true } | { isTooDeep: false; json: string | undefined };

/** Reads what a stranger's server calls JSON. */
export default function readJson({ text, mostLevels }: JsonRequest): JsonAnswer {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedDeeper(value, mostLevels) ? { isTooDeep: true } : { isTooDeep: false, json: JSON.stringify(value) };
  } catch {
    return { isTooDeep: false, json: undefined };
  }
}
