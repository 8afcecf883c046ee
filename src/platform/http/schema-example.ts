import { z } from 'zod';

/** What a value of the schema looks like: the examples given in it, put together. */
export function exampleOf(schema: z.ZodType): unknown {
  const examples = schema.meta()?.examples;
  if (Array.isArray(examples)) return examples[0];
  if (schema instanceof z.ZodObject) {
    const members = Object.keys(schema.shape).map((name) => [name, exampleOf(schema.shape[name] as z.ZodType)]);
    return Object.fromEntries(members);
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodNullable) return null;
  throw new Error('A schema that leaves or enters the service has a member without an example');
}
