import { z } from 'zod';

/** Builds an example value of a schema from the examples in it. */
export function exampleOf(schema: z.ZodType, at = 'value'): unknown {
  const examples = schema.meta()?.examples;
  if (Array.isArray(examples)) return examples[0];
  if (schema instanceof z.ZodObject) {
    const members = Object.keys(schema.shape).map((name) => {
      return [name, exampleOf(schema.shape[name] as z.ZodType, `${at}.${name}`)] as const;
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType, `${at}[]`)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodOptional) return undefined;
  throw new Error(
    `The schema ${schema.meta()?.id ?? ''} has no example for ${at}: give it one with .meta({ examples })`,
  );
}
