import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { inputCheck, type InputIssue } from './input-schema.js';

/** The schema and the input as JSON. */
export interface InputRequest {
  schema: string;
  input: string;
}

const checks = new RecentlyUsed<string, ReturnType<typeof inputCheck>>(20);

/** Finds the issues of a stranger's input by a stranger's schema, in a compute thread. */
export default function checkInput({ schema, input }: InputRequest): InputIssue[] {
  let check = checks.get(schema);
  if (!check) {
    check = inputCheck(JSON.parse(schema) as Record<string, unknown>);
    checks.set(schema, check);
  }
  return check(JSON.parse(input));
}
