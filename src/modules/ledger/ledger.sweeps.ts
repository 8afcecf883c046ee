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

/**
 * Deletes calls whose retention has ended, and returns their number. A month whose retention has ended for every
 * project is dropped as a partition, which costs nothing for each row. All other calls are deleted row by row.
 */
export async function dropDueRows({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  let removed = 0;
  for (const month of await statements.ask(monthsBefore('ledger_row', earliest(cutoffs)))) {
    if (!hasTime()) return removed;
    const count = await statements.ask(countCallsOfMonth(month));
    await statements.ask(dropCallsOfMonth(month));
    removed += count;
  }
  for (const [projectId, cutoff] of await projectsWithExpiredCalls(statements, cutoffs)) {
    for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE && hasTime();) {
      deleted = await statements.ask(deleteCallsBefore(projectId, cutoff, ROWS_AT_ONCE));
      removed += deleted;
    }
    await statements.ask(deleteKeysBefore(projectId, cutoff));
  }
  return removed;
}

/**
 * Deletes payloads whose retention has ended. Readers stop showing all of them at once, before the first is deleted.
 * Returns the number of dropped months and deleted rows.
 */
export async function dropDuePayloads({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  await statements.ask(expirePayloads(cutoffs));
  let removed = 0;
  for (const month of await statements.ask(monthsBefore('ledger_payload', earliest(cutoffs)))) {
    if (!hasTime()) return removed;
    await statements.ask(dropPayloadsOfMonth(month));
    removed += 1;
  }
  for (const projectId of await statements.ask(projectsWithCalls())) {
    for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE && hasTime();) {
      deleted = await statements.ask(deleteExpiredPayloads(projectId, ROWS_AT_ONCE));
      removed += deleted;
    }
  }
  return removed;
}

function earliest({ general, ofProjects }: Cutoffs): Date {
  return new Date(Math.min(general.getTime(), ...[...ofProjects.values()].map((cutoff) => cutoff.getTime())));
}

async function projectsWithExpiredCalls(
  statements: Statements,
  { general, ofProjects }: Cutoffs,
): Promise<[projectId: string, cutoff: Date][]> {
  const expired: [string, Date][] = [];
  for (const projectId of await statements.ask(projectsWithCalls())) {
    const cutoff = ofProjects.get(projectId) ?? general;
    if (await statements.ask(hasCallsBefore(projectId, cutoff))) expired.push([projectId, cutoff]);
  }
  return expired;
}
