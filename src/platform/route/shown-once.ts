import { z } from 'zod';

const shownOnceSchemas = new WeakSet<z.ZodType>();

/** A member that only the first answer contains, such as a new key. A repeat with the same Idempotency-Key has null. */
export function shownOnce<Schema extends z.ZodType>(schema: Schema): z.ZodNullable<Schema> {
  const once = schema.nullable().meta({ ...schema.meta() });
  shownOnceSchemas.add(once);
  return once;
}

/** Returns the value as it may be stored, with null for every member that is shown once. */
export function withoutShownOnce(schema: z.ZodType, value: unknown): unknown {
  if (shownOnceSchemas.has(schema)) return null;
  if (schema instanceof z.ZodObject && isRecord(value)) {
    const members = Object.entries(value).map(([name, member]) => {
      const ofMember = (schema.shape as Record<string, z.ZodType>)[name];
      return [name, ofMember ? withoutShownOnce(ofMember, member) : member];
    });
    return Object.fromEntries(members);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutShownOnce(schema.element as z.ZodType, item));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return withoutShownOnce(schema.unwrap() as z.ZodType, value);
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
