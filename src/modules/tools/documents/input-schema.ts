import type { ErrorObject } from 'ajv/dist/2020.js';
import { shortened } from '../../../kernel/shortened.js';
import { SchemaReading, TooMuchToRead } from './schema-reading.js';

type JsonSchema = Record<string, unknown>;

export interface InputIssue {
  path: string;
  message: string;
}

/** The limit of a schema's parts with its references resolved, all of which may be applied to one value. */
const MAX_SUBSCHEMAS = 1_000;
/** The limit of the schema's parts times the values of the input: the comparisons that a validation may need. */
const MAX_COMPARISONS = 500_000;
const MAX_ISSUES = 50;

/** Returns what keeps it from being the schema of an input, as the end of a sentence. */
export function schemaFault(schema: JsonSchema): string | undefined {
  if (schema.type !== 'object') return 'must have the type object';
  const { fault } = measured(schema);
  if (fault !== undefined) return fault;
  try {
    inputCheck(schema);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^schema is invalid: /, '');
    return `is not a JSON Schema: ${shortened(reason, 300)}`;
  }
}

/** Returns a function that finds the issues of an input. */
export function inputCheck(schema: JsonSchema): (input: unknown) => InputIssue[] {
  const reading = new SchemaReading(schema);
  const mostValues = Math.floor(MAX_COMPARISONS / Math.max(1, measured(schema).size));
  return (input) => {
    if (!hasAtMost(mostValues, input)) {
      const message = `has too many values for a schema of this size; the limit is ${mostValues}`;
      return [{ path: 'input', message }];
    }
    try {
      return reading.errorsIn(input).slice(0, MAX_ISSUES).map(toIssue);
    } catch (error) {
      if (!(error instanceof TooMuchToRead)) throw error;
      return [
        { path: 'input', message: 'has texts that are too long for the patterns, formats and lengths of the schema' },
      ];
    }
  };
}

function toIssue({ instancePath, keyword, params, message = 'does not match the schema' }: ErrorObject): InputIssue {
  const named = params as { missingProperty?: string; additionalProperty?: string };
  const member = keyword === 'required' ? named.missingProperty : named.additionalProperty;
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: ['input', ...steps, ...(member === undefined ? [] : [member])].join('.'), message };
}

/** Whether the value has at most this many members and items, at all depths together. */
function hasAtMost(most: number, value: unknown): boolean {
  let seen = 0;
  const pending = [value];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    seen += 1;
    if (seen + pending.length > most) return false;
    if (typeof at === 'object' && at !== null) for (const member of Object.values(at)) pending.push(member);
  }
  return true;
}

/** Counts the parts of a schema. Refuses references that leave the schema, are circular, or multiply its parts. */
function measured(root: JsonSchema): { size: number; fault: string | undefined } {
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
    // A value is compared with the items of an enum one by one, so each of them counts.
    let size = Array.isArray(value) ? 1 + value.length : 1;
    for (const [name, member] of Object.entries(value)) {
      if (['$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor', '$id'].includes(name))
        fault ??= `has ${name}, which is not supported`;
      else if (name === '$ref' && typeof member === 'string') size += sizeOf(targetOf(member));
      else size += sizeOf(member);
    }
    open.delete(value);
    sizes.set(value, size);
    if (size > MAX_SUBSCHEMAS) fault ??= `has more than ${MAX_SUBSCHEMAS} parts, including those that it refers to`;
    return size;
  };
  const targetOf = (reference: string): unknown => {
    if (!reference.startsWith('#')) fault ??= `refers to ${shortened(reference, 100)}, which is outside of the schema`;
    let at: unknown = root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      at = typeof at === 'object' && at !== null ? (at as JsonSchema)[name] : undefined;
    }
    return at;
  };
  try {
    return { size: sizeOf(root), fault };
  } catch {
    return { size: 0, fault: 'has a reference that cannot be read' };
  }
}
