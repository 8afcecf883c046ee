import { JobFailed } from '../dock-job.js';
import { Refusal, SlipwayError } from '../errors.js';
import { UsageError, type Facts } from './command.js';
import { shown } from './table.js';
import type { Terminal } from './terminal.js';

interface Issue {
  path: string;
  message: string;
}

/** Shows an error: a sentence, the faults of the request, and what names it in the service; or all of it as JSON. */
export function report(error: unknown, facts: Facts, isJson: boolean, terminal: Terminal): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const { status, requestId, details } = error instanceof Refusal ? error : {};
  const { dockStatusId } = error instanceof JobFailed ? error.job : facts;
  const issues = issuesIn(details);
  if (isJson) {
    // The forms of the command follow after a blank line, for people.
    const [sentence] = error instanceof UsageError ? message.split('\n\n') : [message];
    const known = { code, message: sentence, status, dockStatusId, runId: facts.runId, requestId, issues, details };
    return terminal.note(JSON.stringify({ error: known }));
  }
  terminal.note(message);
  for (const { path, message: fault } of issues ?? []) terminal.note(shown(`  ${path || 'body'}: ${fault}`));
  const names = [
    error instanceof UsageError ? undefined : code,
    dockStatusId && `job ${dockStatusId}`,
    requestId && `request ${requestId}`,
  ].filter(Boolean);
  if (names.length > 0) terminal.note(`(${names.join(', ')})`);
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof SlipwayError) return error.code;
  if (error instanceof UsageError) return 'USAGE';
  // Those of the operating system have a code as well.
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Returns the faults of a request that the service has listed. */
function issuesIn({ issues }: Record<string, unknown> = {}): Issue[] | undefined {
  return Array.isArray(issues) ? (issues as Issue[]) : undefined;
}
