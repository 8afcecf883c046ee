import { CALL_LIMITS } from '../../ledger/call.schema.js';
import type { Attributes, AttributeValue } from '../otlp/attributes.js';

/** The first of these attributes that has a text. */
export function textAt(attributes: Attributes, names: readonly string[]): string | undefined {
  return names.map((name) => attributes.get(name)).find(isText);
}

/** The first of these attributes that has a number, also where it was written as text. */
export function numberAt(attributes: Attributes, names: readonly string[]): number | undefined {
  return names.map((name) => toNumber(attributes.get(name))).find((value) => value !== undefined);
}

export function isTrueAt(attributes: Attributes, names: readonly string[]): boolean {
  return names.some((name) => attributes.get(name) === true);
}

/** The nearest that the ledger can add up. */
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
