import { type Sql, sql } from '../../platform/database/sql.js';

/** Of the calls of a session what was said, and nothing of what was counted. */
export function forgetPayloadsOf(projectId: string, sessionId: string): Sql {
  return sql`
    with said as (
      update ledger_row set payload_bytes = 0
      where project_id = ${projectId} and session_id = ${sessionId} and payload_bytes > 0 returning n, ts),
    gone as (
      delete from ledger_payload p using said
      where p.project_id = ${projectId} and p.n = said.n and p.ts = said.ts)
    select count(*)::integer as count from said`;
}
