import { isContent } from '../conventions/contents.js';
import type { Attributes, AttributeValue } from './attributes.js';

const MAX_ATTRIBUTES = 128;
const MAX_ATTRIBUTE = 1_000;

/** As JSON: the attributes that are short, as many as an exporter sends by default. What was said is none of them. */
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
