import { EntityRepository } from '@mikro-orm/postgresql';
import { sql } from '../../platform/database/sql.js';
import { type Statement, theRow } from '../../platform/database/statement.js';
import type { CallPayload } from './call-payload.entity.js';

export class CallPayloadRepository extends EntityRepository<CallPayload> {
  /**
   * Deletes the payloads of a session's calls, and returns their number. The calls stay, so tokens and costs do not
   * change.
   */
  deleteOfSession(projectId: string, sessionId: string): Statement<number> {
    const query = sql`
      with wanted as (
        update ledger_row set payload_bytes = 0
        where project_id = ${projectId} and session_id = ${sessionId} and payload_bytes > 0 returning n, ts),
      gone as (
        delete from ledger_payload p using wanted
        where p.project_id = ${projectId} and p.n = wanted.n and p.ts = wanted.ts)
      select count(*)::integer as count from wanted`;
    return theRow<{ count: number }>(query)
      .as(({ count }) => count)
      .taking('ledger');
  }
}
