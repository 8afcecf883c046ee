import { sql } from '../../../platform/database/sql.js';
import { exists, rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import type { Cutoffs } from '../../../platform/retention/retention-rule.js';
import { addToRollup, CALLS_REMOVED } from '../rollup/rollup.statements.js';

/** The statements of the ledger's sweeps. Sweeps run outside the injection of Nest, so they have no repository. */

export function projectsWithCalls(): Statement<string[]> {
  return rows<{ projectId: string }>(sql`select distinct project_id as "projectId" from ledger_dim`).as((found) =>
    found.map(({ projectId }) => projectId),
  );
}

export function hasCallsBefore(projectId: string, time: Date): Statement<boolean> {
  return exists(sql`select 1 from ledger_row where project_id = ${projectId} and ts < ${time} limit 1`);
}

/** Deletes the oldest calls of a project before a time, and subtracts them from the rollup in the same statement. */
export function deleteCallsBefore(projectId: string, time: Date, limit: number): Statement<number> {
  return theRow<{ count: number }>(sql`
    with due as (
      select ts, n from ledger_row where project_id = ${projectId} and ts < ${time}::timestamptz order by ts limit ${limit}),
    gone as (
      delete from ledger_row r using due
      where r.project_id = ${projectId} and r.ts = due.ts and r.n = due.n
      returning r.*),
    payloads as (
      delete from ledger_payload p using gone
      where p.project_id = ${projectId} and p.n = gone.n and p.ts = gone.ts),
    sums as (${addToRollup(projectId, sql`gone`, CALLS_REMOVED)})
    select count(*)::integer as count from gone`).as(({ count }) => count);
}

/**
 * Deletes the keys of expired calls. They are no longer needed to find duplicates, because calls of that age are
 * refused.
 */
export function deleteKeysBefore(projectId: string, time: Date): Statement<void> {
  return write(sql`delete from ledger_key where project_id = ${projectId} and ts < ${time}`);
}

/** Makes readers treat payloads from before these times as missing at once, before they are deleted. */
export function expirePayloads({ general, ofProjects }: Cutoffs): Statement<void> {
  return write(sql`
    insert into ledger_expiry (project_id, payloads_before)
    select p.id, coalesce(own.cutoff, ${general}) from project p
    left join unnest(${[...ofProjects.keys()]}::text[], ${[...ofProjects.values()]}::timestamptz[])
      as own (project_id, cutoff) on own.project_id = p.id
    on conflict (project_id) do update
    set payloads_before = greatest(ledger_expiry.payloads_before, excluded.payloads_before)`);
}

/** Deletes payloads of a project that readers already treat as missing, and returns their number. */
export function deleteExpiredPayloads(projectId: string, limit: number): Statement<number> {
  return rows(sql`
    delete from ledger_payload stored using (
      select n, ts from ledger_payload
      where project_id = ${projectId}
        and ts < (select payloads_before from ledger_expiry where project_id = ${projectId}) limit ${limit}) due
    where stored.project_id = ${projectId} and stored.n = due.n and stored.ts = due.ts returning 1`).as(
    (deleted) => deleted.length,
  );
}
