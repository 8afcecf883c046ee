import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { inputCheck, type InputIssue } from './input-schema.js';

/** Both are JSON. */
export interface InputRequest {
  schema: string;
  input: string;
}

const checks = new RecentlyUsed<string, ReturnType<typeof inputCheck>>(20);

/** Tells what is wrong with an input of a stranger, by a schema of theirs. */
export default function checkInput({ schema, input }: InputRequest): InputIssue[] {
  let check = checks.get(schema);
  if (!check) {
    check = inputCheck(JSON.parse(schema) as Record<string, unknown>);
    checks.set(schema, check);
  }
  return check(JSON.parse(input));
}
