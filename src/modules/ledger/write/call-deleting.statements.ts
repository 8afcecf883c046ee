import { sql } from '../../../platform/database/sql.js';
import { exists, rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import type { Cutoffs } from '../../../platform/retention/retention-rule.js';
import { addToSums, ONE_CALL_LESS } from '../sums/call-sums.statements.js';

/** What the sweeps of the ledger ask. They are no part of the application that Nest wires, so no repository is there. */

export function projectsWithCalls(): Statement<string[]> {
  return rows<{ projectId: string }>(sql`select distinct project_id as "projectId" from ledger_dim`).as((found) =>
    found.map(({ projectId }) => projectId),
  );
}

export function hasCallsBefore(projectId: string, time: Date): Statement<boolean> {
  return exists(sql`select 1 from ledger_row where project_id = ${projectId} and ts < ${time} limit 1`);
}

/** Deletes the oldest calls of a project before a time, and takes from the sums what they had added. */
export function deleteCallsBefore(projectId: string, time: Date, most: number): Statement<number> {
  return theRow<{ count: number }>(sql`
    with due as (
      select ts, n from ledger_row where project_id = ${projectId} and ts < ${time}::timestamptz order by ts limit ${most}),
    gone as (
      delete from ledger_row r using due
      where r.project_id = ${projectId} and r.ts = due.ts and r.n = due.n
      returning r.*),
    payloads as (
      delete from ledger_payload p using gone
      where p.project_id = ${projectId} and p.n = gone.n and p.ts = gone.ts),
    sums as (${addToSums(projectId, sql`gone`, ONE_CALL_LESS)})
    select count(*)::integer as count from gone`).as(({ count }) => count);
}

/** What is left of a call's name only says that it is known; its time has passed, so it is refused before that. */
export function deleteKeysBefore(projectId: string, time: Date): Statement<void> {
  return write(sql`delete from ledger_key where project_id = ${projectId} and ts < ${time}`);
}

/** Payloads from before these times are missing from now on, whether or not they are deleted yet. */
export function expirePayloads({ general, ofProjects }: Cutoffs): Statement<void> {
  return write(sql`
    insert into ledger_expiry (project_id, payloads_before)
    select p.id, coalesce(own.cutoff, ${general}) from project p
    left join unnest(${[...ofProjects.keys()]}::text[], ${[...ofProjects.values()]}::timestamptz[])
      as own (project_id, cutoff) on own.project_id = p.id
    on conflict (project_id) do update
    set payloads_before = greatest(ledger_expiry.payloads_before, excluded.payloads_before)`);
}

export function deleteExpiredPayloads(most: number): Statement<number> {
  return rows(sql`
    delete from ledger_payload stored using (
      select p.project_id, p.n, p.ts from ledger_payload p join ledger_expiry e
        on e.project_id = p.project_id and p.ts < e.payloads_before limit ${most}) due
    where stored.project_id = due.project_id and stored.n = due.n and stored.ts = due.ts returning 1`).as(
    (deleted) => deleted.length,
  );
}
