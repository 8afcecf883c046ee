import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SlipwayError } from '../../kernel/errors.js';
import { httpErrors } from './http.errors.js';

export interface Issue {
  path: PropertyKey[];
  message: string;
}

/** No reader needs more, and an answer has to stay small whatever was sent. */
const MAX_ISSUES = 200;

export function validationError(issues: readonly Issue[]): SlipwayError {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return httpErrors.validation({}, { details: { issues: shown } });
}

export type Checked = { value: unknown; issues: Issue[] };

export async function check(schema: StandardSchemaV1, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { value: result.value, issues: [] };
  return { value: undefined, issues: result.issues.flatMap(toIssues) };
}

/** zod tells all unknown members of an object in one issue; people want each under its own path. */
function toIssues(issue: StandardSchemaV1.Issue & { code?: string; keys?: string[] }): Issue[] {
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return (issue.keys ?? []).map((key) => ({ path: [...path, key], message: 'is not known here; take it out' }));
}
