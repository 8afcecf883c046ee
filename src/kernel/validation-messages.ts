import { z } from 'zod';

/** Puts zod's messages into plain words for users. Messages that a schema gives stay. */
export function usePlainValidationMessages(): void {
  z.config({ customError: plainMessage });
}

type Issue = z.core.$ZodRawIssue;

function plainMessage(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(asWord).join(', ')}`;
    case 'invalid_union':
      return unionMessage(issue);
    case 'too_small':
      return `must ${boundWords(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `must ${boundWords(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'does not have the required format';
    default:
      return undefined;
  }
}

function asWord(value: unknown): string {
  return value === '' ? 'empty' : String(value);
}

const FORMATS: Record<string, string> = {
  datetime: 'must be a date and time with offset, such as 2026-11-21T09:30:00Z',
  url: 'must be an address, such as https://example.com/path',
};

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

function typeMessage({ expected, input }: { expected: string; input?: unknown }): string {
  if (input === undefined) return 'is required';
  const wanted = TYPES[expected] ?? expected;
  return Array.isArray(input) ? `must be ${wanted}; a list, or the same name twice, was given` : `must be ${wanted}`;
}

/** Says which values of a member select the forms of a union, where there is such a member. */
function unionMessage({ options, input }: { options?: unknown; input?: unknown }): string {
  if (Array.isArray(options)) return `must be one of ${options.map(String).join(', ')}`;
  return input === undefined ? 'is required' : 'matches none of the forms that the document of the API describes';
}

function boundWords(origin: string, bound: number | bigint, comparison: string): string {
  if (origin === 'string') return `have ${comparison} ${bound} ${bound === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set')
    return `have ${comparison} ${bound} ${bound === 1 ? 'member' : 'members'}`;
  return `be ${comparison} ${bound}`;
}
