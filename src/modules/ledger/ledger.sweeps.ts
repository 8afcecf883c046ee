import type { Statements } from '../../platform/database/statements.js';
import type { Cutoffs, SweepContext } from '../../platform/retention/retention-rule.js';
import {
  deleteCallsBefore,
  deleteExpiredPayloads,
  deleteKeysBefore,
  expirePayloads,
  hasCallsBefore,
  projectsWithCalls,
} from './write/call-deleting.statements.js';
import { countCallsOfMonth, dropCallsOfMonth, dropPayloadsOfMonth, monthsBefore } from './write/month.statements.js';

const ROWS_AT_ONCE = 5_000;

/** Rows that are due go: whole months where all of it is due to everybody, else row by row. Answers how many. */
export async function dropDueRows({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  let removed = 0;
  for (const month of await statements.ask(monthsBefore('ledger_row', earliest(cutoffs)))) {
    if (!hasTime()) return removed;
    const count = await statements.ask(countCallsOfMonth(month));
    await statements.ask(dropCallsOfMonth(month));
    removed += count;
  }
  for (const [projectId, cutoff] of await projectsWithCallsDue(statements, cutoffs)) {
    for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE && hasTime();) {
      gone = await statements.ask(deleteCallsBefore(projectId, cutoff, ROWS_AT_ONCE));
      removed += gone;
    }
    await statements.ask(deleteKeysBefore(projectId, cutoff));
  }
  return removed;
}

/** Payloads that are due: from now on missing, and then deleted. Answers how many months and rows went. */
export async function dropDuePayloads({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  await statements.ask(expirePayloads(cutoffs));
  let removed = 0;
  for (const month of await statements.ask(monthsBefore('ledger_payload', earliest(cutoffs)))) {
    if (!hasTime()) return removed;
    await statements.ask(dropPayloadsOfMonth(month));
    removed += 1;
  }
  for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE && hasTime();) {
    gone = await statements.ask(deleteExpiredPayloads(ROWS_AT_ONCE));
    removed += gone;
  }
  return removed;
}

function earliest({ general, ofProjects }: Cutoffs): Date {
  return new Date(Math.min(general.getTime(), ...[...ofProjects.values()].map((cutoff) => cutoff.getTime())));
}

async function projectsWithCallsDue(
  statements: Statements,
  { general, ofProjects }: Cutoffs,
): Promise<[projectId: string, cutoff: Date][]> {
  const due: [string, Date][] = [];
  for (const projectId of await statements.ask(projectsWithCalls())) {
    const cutoff = ofProjects.get(projectId) ?? general;
    if (await statements.ask(hasCallsBefore(projectId, cutoff))) due.push([projectId, cutoff]);
  }
  return due;
}
