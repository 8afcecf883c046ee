import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';

type JsonSchema = Record<string, unknown>;

export interface InputIssue {
  path: string;
  message: string;
}

/** With each reference in the place of what it refers to: what a validation may come to do with one value. */
const MAX_SUBSCHEMAS = 10_000;
const MAX_ISSUES = 50;

/** Patterns of strangers take a time that is linear in the text. */
const linear = Object.assign(
  (pattern: string) => {
    const regExp = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv tells patterns apart by what they read as.
    return { test: (text: string) => regExp.matcher(text).find(), toString: () => pattern } as unknown as RegExp;
  },
  { code: 'linear' },
);

/** What keeps it from being the schema of an input, as the end of a sentence; nothing where it is one. */
export function schemaFault(schema: JsonSchema): string | undefined {
  if (schema.type !== 'object') return 'has to have the type object';
  const reference = referenceFault(schema);
  if (reference !== undefined) return reference;
  try {
    inputCheck(schema);
    return undefined;
  } catch (error) {
    return `is no JSON Schema: ${(error as Error).message.replace(/^schema is invalid: /, '').slice(0, 300)}`;
  }
}

/** Tells what is wrong with an input. */
export function inputCheck(schema: JsonSchema): (input: unknown) => InputIssue[] {
  const validate = compile(schema);
  return (input) => {
    if (validate(input)) return [];
    return (validate.errors ?? []).slice(0, MAX_ISSUES).map(toIssue);
  };
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: true,
    addUsedSchema: false,
    code: { regExp: linear },
  });
  formats.default(ajv, { mode: 'fast' });
  // Ajv compares each with each.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isWanted: boolean, items: unknown[]) => !isWanted || new Set(items.map(canonical)).size === items.length,
  });
  return ajv.compile(schema);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function toIssue({ instancePath, keyword, params, message = 'is not what the schema says' }: ErrorObject): InputIssue {
  const named = params as { missingProperty?: string; additionalProperty?: string };
  const member = keyword === 'required' ? named.missingProperty : named.additionalProperty;
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: ['input', ...steps, ...(member === undefined ? [] : [member])].join('.'), message };
}

/** References stay within the schema, go in no circle, and do not multiply. */
function referenceFault(root: JsonSchema): string | undefined {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  let fault: string | undefined;

  const sizeOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || fault !== undefined) return 0;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (open.has(value)) {
      fault = 'refers to itself';
      return 0;
    }
    open.add(value);
    let size = 1;
    for (const [name, member] of Object.entries(value)) {
      if (['$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor', '$id'].includes(name))
        fault ??= `has ${name}, which is not taken`;
      else if (name === '$ref' && typeof member === 'string') size += sizeOf(targetOf(member));
      else size += sizeOf(member);
    }
    open.delete(value);
    sizes.set(value, size);
    if (size > MAX_SUBSCHEMAS) fault ??= `comes to more than ${MAX_SUBSCHEMAS} parts with its references`;
    return size;
  };
  const targetOf = (reference: string): unknown => {
    if (!reference.startsWith('#')) fault ??= `refers to ${reference.slice(0, 100)}, which is outside of it`;
    let at: unknown = root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      at = typeof at === 'object' && at !== null ? (at as JsonSchema)[name] : undefined;
    }
    return at;
  };
  try {
    sizeOf(root);
  } catch {
    return 'has a reference that cannot be read';
  }
  return fault;
}
