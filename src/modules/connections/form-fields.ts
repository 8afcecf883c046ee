import { z } from 'zod';

export const FORM_FIELD_KINDS = ['text', 'secret', 'number', 'json'] as const;

export interface FormField {
  name: string;
  label: string;
  kind: (typeof FORM_FIELD_KINDS)[number];
  isRequired: boolean;
  hint: string | null;
}

/** Returns the members that a form shows: those with a title. */
export function formFieldsIn(fields: z.ZodObject): FormField[] {
  const { properties = {}, required = [] } = jsonSchemaOf(fields);
  return Object.entries(properties).flatMap(([name, member]): FormField[] => {
    if (member.title === undefined) return [];
    const { title: label, description: hint = null } = member;
    return [{ name, label, kind: kindOf(member), isRequired: required.includes(name), hint }];
  });
}

/** Returns the members that were made with `secretField`. */
export function secretsIn(fields: z.ZodObject): ReadonlySet<string> {
  const { properties = {} } = jsonSchemaOf(fields);
  return new Set(Object.keys(properties).filter((name) => kindOf(properties[name]!) === 'secret'));
}

interface ObjectSchema {
  properties?: Record<string, z.core.JSONSchema.BaseSchema>;
  required?: string[];
}

function jsonSchemaOf(fields: z.ZodObject): ObjectSchema {
  return z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }) as ObjectSchema;
}

function kindOf({ type, format }: z.core.JSONSchema.BaseSchema): FormField['kind'] {
  if (format === 'password') return 'secret';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'string' ? 'text' : 'json';
}
