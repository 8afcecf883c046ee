import { isContent } from '../conventions/contents.js';
import type { Attributes, AttributeValue } from './attributes.js';

const MAX_ATTRIBUTES = 128;
const MAX_ATTRIBUTE = 1_000;

/**
 * Returns the attributes that are kept, as JSON: the first 128 short ones, which is the default limit of exporters.
 * Prompts and answers are not among them.
 */
export function keptAttributes(attributes: Attributes): string {
  const kept: [string, unknown][] = [];
  for (const [name, value] of attributes) {
    if (kept.length === MAX_ATTRIBUTES) break;
    if (name.length <= 256 && !isContent(name) && isShort(value)) kept.push([name, value]);
  }
  return JSON.stringify(Object.fromEntries(kept));
}

function isShort(value: AttributeValue): boolean {
  if (typeof value === 'string' && value.length > MAX_ATTRIBUTE) return false;
  return JSON.stringify(value).length <= MAX_ATTRIBUTE;
}
