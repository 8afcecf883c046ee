import { type z } from 'zod';
import type { SlipwayError } from '../../kernel/errors.js';
import { containsKey } from '../../kernel/key-format.js';
import { httpErrors } from './http.errors.js';

export interface Issue {
  path: PropertyKey[];
  message: string;
}

/** The limit of reported issues. No reader needs more, and the answer has to stay small whatever the client sends. */
const MAX_ISSUES = 200;
const MAX_PATH_LENGTH = 200;

export function validationError(issues: readonly Issue[]): SlipwayError {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: readable(path), message }));
  const more = issues.length - shown.length;
  return httpErrors.validation({ details: { issues: shown, ...(more > 0 && { more }) } });
}

function readable(path: PropertyKey[]): string {
  const text = path.map(String).join('.').slice(0, MAX_PATH_LENGTH).toWellFormed();
  return containsKey(text) ? '***' : text;
}

export function check(schema: z.ZodType, value: unknown): { value: unknown; issues: Issue[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, issues: [] };
  return { value: undefined, issues: result.error.issues.flatMap(toIssues) };
}

/** zod reports all unknown members of an object in one issue. Here each member has an issue with its own path. */
function toIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not known; take it out' }));
}
