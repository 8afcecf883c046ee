import { type Sql, sql } from '../../platform/database/sql.js';

export function deleteOfSession(projectId: string, sessionId: string): Sql {
  return sql`
    with gone as (
      delete from trace where project_id = ${projectId} and session_id = ${sessionId} returning id),
    observations as (
      delete from observation o using gone where o.project_id = ${projectId} and o.trace_id = gone.id returning o.id)
    select (select count(*)::integer from gone) as traces,
           (select count(*)::integer from observations) as observations`;
}
