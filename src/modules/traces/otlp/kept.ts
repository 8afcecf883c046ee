import type { Attributes } from './attributes.js';

/** An observation is for reading: the whole of a call is in the ledger's payload. */
const MAX_TEXT = 100_000;
const MAX_ATTRIBUTES = 128;
/** What is longer is content, which stands in input and output. */
const MAX_ATTRIBUTE = 1_000;

export function keptText(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** As JSON: the attributes that are short, as many as an exporter sends by default. */
export function keptAttributes(attributes: Attributes): string {
  const kept: [string, unknown][] = [];
  for (const [name, value] of attributes) {
    if (kept.length === MAX_ATTRIBUTES) break;
    if (name.length <= 256 && JSON.stringify(value).length <= MAX_ATTRIBUTE) kept.push([name, value]);
  }
  return JSON.stringify(Object.fromEntries(kept));
}
