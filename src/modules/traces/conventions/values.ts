import { CALL_LIMITS } from '../../ledger/call.schema.js';
import type { Attributes, AttributeValue } from '../otlp/attributes.js';

/** Returns the first of these attributes that is a text. */
export function textAt(attributes: Attributes, names: readonly string[]): string | undefined {
  return names.map((name) => attributes.get(name)).find(isText);
}

/** Returns the first of these attributes that is a number, or a text with one. */
export function numberAt(attributes: Attributes, names: readonly string[]): number | undefined {
  return names.map((name) => toNumber(attributes.get(name))).find((value) => value !== undefined);
}

export function isTrueAt(attributes: Attributes, names: readonly string[]): boolean {
  return names.some((name) => attributes.get(name) === true);
}

/** Rounds to the nearest count that the ledger can store. */
export function toCount(number: number): number {
  return Math.min(Math.max(Math.round(number), 0), CALL_LIMITS.count);
}

function isText(value: AttributeValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function toNumber(value: AttributeValue | undefined): number | undefined {
  const number = isText(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
