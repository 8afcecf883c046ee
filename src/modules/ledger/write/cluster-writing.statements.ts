import { sql, type Sql } from '../../../platform/database/sql.js';
import { rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { addToRollup, CALLS_ADDED } from '../rollup/rollup.statements.js';
import { given, insertDims, insertPayloads, insertRows } from './call-writing.statements.js';
import type { Dim, StoredCall } from './stored-call.js';

/*
 * The statements that write a batch on a Citus cluster. They do what `insertCalls` does in one statement. Citus would
 * copy what one part of that statement hands to another to every worker, so a worker that is down would stop the writes
 * of all projects. Each statement here goes to the one worker that has the project.
 */

/** A new call, with its number and the size of the payload that is kept of it. */
export interface NumberedCall {
  call: StoredCall;
  number: string;
  payloadBytes: number;
}

/** Whether payloads of the project are kept. */
interface PayloadRules {
  drops: boolean;
  /** Payloads from before this time have expired. */
  expiredBefore: Date | null;
}

export function payloadRules(projectId: string): Statement<PayloadRules> {
  return theRow(sql`
    select exists (select from ledger_policy where project_id = ${projectId} and payloads = 'drop') as drops,
           (select payloads_before from ledger_expiry where project_id = ${projectId}) as "expiredBefore"`);
}

export function callNumbers(count: number): Statement<string[]> {
  return rows<{ number: string }>(sql`
    select nextval('ledger_call_number')::text as number from generate_series(1, ${count}::integer)`).as((found) =>
    found.map(({ number }) => number),
  );
}

/** Returns the `callId`s that the project did not have yet. */
export function insertKeys(projectId: string, calls: readonly StoredCall[]): Statement<string[]> {
  return rows<{ callId: string }>(sql`
    insert into ledger_key (project_id, call_id, ts)
    select ${projectId}, call_id, ts
    from unnest(${calls.map(({ callId }) => callId)}::text[], ${calls.map(({ time }) => time.toISOString())}::timestamptz[])
      as given (call_id, ts)
    order by call_id collate "C" on conflict do nothing returning call_id as "callId"`)
    .as((found) => found.map(({ callId }) => callId))
    .taking('ledger');
}

/** Writes the calls whose keys are new, with all that belongs to them. */
export function insertNumbered(
  projectId: string,
  calls: readonly NumberedCall[],
  dims: readonly Dim[],
): Statement<void>[] {
  const added = addedOf(calls);
  const stored = calls.map(({ call }) => call);
  return [
    insertRows(projectId, added),
    insertPayloads(projectId, stored, added),
    insertDims(projectId, dims),
    addToRollup(projectId, added, CALLS_ADDED),
  ].map(write);
}

function addedOf(calls: readonly NumberedCall[]): Sql {
  return sql`
    (select given.*, numbered.n, numbered.payload_bytes
     from (${given(calls.map(({ call }) => call))}) given
     join unnest(${calls.map(({ call }) => call.callId)}::text[], ${calls.map(({ number }) => number)}::bigint[],
                 ${calls.map(({ payloadBytes }) => payloadBytes)}::integer[])
       as numbered (call_id, n, payload_bytes) using (call_id)) added`;
}
