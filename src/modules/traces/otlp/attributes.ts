import { isJsonObject } from '../../../kernel/json.js';
import type { SentAttributes } from './export-traces.schema.js';

export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [name: string]: AttributeValue };

/** Attributes by their full names, such as `gen_ai.request.model`. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

export function readAttributes(sent: SentAttributes): Attributes {
  return new Map((sent ?? []).map(readMember));
}

/** An attribute without a name is named '', and one without a value is null. */
function readMember({ key, value }: { key?: unknown; value?: unknown }): [string, AttributeValue] {
  return [typeof key === 'string' ? key : '', readValue(value)];
}

/** OTLP wraps each value in an object whose member names the type. A value with an unknown type is read as null. */
function readValue(wrapped: unknown): AttributeValue {
  if (!isJsonObject(wrapped)) return null;
  if ('stringValue' in wrapped) return typeof wrapped.stringValue === 'string' ? wrapped.stringValue : null;
  if ('boolValue' in wrapped) return wrapped.boolValue === true;
  if ('intValue' in wrapped) return numberOrNull(wrapped.intValue);
  if ('doubleValue' in wrapped) return numberOrNull(wrapped.doubleValue);
  if ('bytesValue' in wrapped) return typeof wrapped.bytesValue === 'string' ? wrapped.bytesValue : null;
  if ('arrayValue' in wrapped) return valuesOf(wrapped.arrayValue).map(readValue);
  if ('kvlistValue' in wrapped) {
    return Object.fromEntries(valuesOf(wrapped.kvlistValue).filter(isJsonObject).map(readMember));
  }
  return null;
}

function valuesOf(list: unknown): unknown[] {
  return isJsonObject(list) && Array.isArray(list.values) ? list.values : [];
}

/** JSON in OTLP has 64-bit numbers as text. */
function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
