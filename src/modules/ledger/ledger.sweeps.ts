import type { Statements } from '../../platform/database/statements.js';
import type { Cutoffs, SweepContext } from '../../platform/retention/retention-rule.js';
import { monthsBefore, partitionName } from './partitions.js';
import { deleteRows, dropRowsOfMonth } from './store.delete-rows.js';

const ROWS_AT_ONCE = 5_000;

/** Rows that are due go: whole months where all of it is due to everybody, else row by row. Answers how many. */
export async function dropDueRows({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  let removed = 0;
  for (const month of await monthsBefore(statements, 'ledger_row', earliest(cutoffs))) {
    if (!hasTime()) return removed;
    const [{ count } = { count: 0 }] = await statements.run<{ count: number }>(
      `select count(*)::integer as count from ${partitionName('ledger_row', month)}`,
    );
    await statements.run(dropRowsOfMonth(month));
    removed += count;
  }
  for (const [projectId, cutoff] of await projectsWithRowsBefore(statements, cutoffs)) {
    for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE && hasTime();) {
      const [deleted] = await statements.run<{ count: number }>(deleteRows(projectId, cutoff, ROWS_AT_ONCE));
      gone = deleted!.count;
      removed += gone;
    }
    // What is left of a call's name only says that it is known; its time has passed, so it is refused before that.
    await statements.run('delete from ledger_key where project_id = $1 and ts < $2', [projectId, cutoff]);
  }
  return removed;
}

/** Payloads that are due: from now on missing, and then deleted. Answers how many months and rows went. */
export async function dropDuePayloads({ statements, cutoffs, hasTime }: SweepContext): Promise<number> {
  await statements.run(
    `insert into ledger_expiry (project_id, payloads_before)
     select p.id, coalesce(own.cutoff, $1) from project p
     left join unnest($2::text[], $3::timestamptz[]) as own (project_id, cutoff) on own.project_id = p.id
     on conflict (project_id) do update
     set payloads_before = greatest(ledger_expiry.payloads_before, excluded.payloads_before)`,
    [cutoffs.general, [...cutoffs.ofProjects.keys()], [...cutoffs.ofProjects.values()]],
  );
  let removed = 0;
  for (const month of await monthsBefore(statements, 'ledger_payload', earliest(cutoffs))) {
    if (!hasTime()) return removed;
    await statements.run(`drop table ${partitionName('ledger_payload', month)}`);
    removed += 1;
  }
  for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE && hasTime();) {
    const deleted = await statements.run(
      `delete from ledger_payload stored using (
         select p.project_id, p.n, p.ts from ledger_payload p join ledger_expiry e
           on e.project_id = p.project_id and p.ts < e.payloads_before limit $1) due
       where stored.project_id = due.project_id and stored.n = due.n and stored.ts = due.ts returning 1`,
      [ROWS_AT_ONCE],
    );
    gone = deleted.length;
    removed += gone;
  }
  return removed;
}

function earliest({ general, ofProjects }: Cutoffs): Date {
  return new Date(Math.min(general.getTime(), ...[...ofProjects.values()].map((cutoff) => cutoff.getTime())));
}

async function projectsWithRowsBefore(
  statements: Statements,
  { general, ofProjects }: Cutoffs,
): Promise<[projectId: string, cutoff: Date][]> {
  const rows = await statements.run<{ project_id: string }>('select distinct project_id from ledger_dim');
  const due: [string, Date][] = [];
  for (const { project_id: projectId } of rows) {
    const cutoff = ofProjects.get(projectId) ?? general;
    const found = await statements.run('select 1 from ledger_row where project_id = $1 and ts < $2 limit 1', [
      projectId,
      cutoff,
    ]);
    if (found.length > 0) due.push([projectId, cutoff]);
  }
  return due;
}
