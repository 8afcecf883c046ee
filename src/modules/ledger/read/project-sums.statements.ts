import { type Sql, sql } from '../../../platform/database/sql.js';
import { ALL_CALLS, GRAIN } from '../rollup/rollup.statements.js';

/** Adds up the daily sums of the given projects from a day on. A project without calls has no row; it has zero of all. */
export function sumsOfProjects(projectIds: readonly string[], since: Date): Sql {
  const ofDays = sql`
    s.project_id = any(${projectIds}::text[]) and s.grain = ${GRAIN.days} and s.bucket >= ${since}::timestamptz`;
  return sql`
    select project_id as "projectId", sum(n)::float8 as calls, sum(failed)::float8 as failed,
           sum(tokens)::float8 as "totalTokens", sum(cost)::float8 as cost
    from (
      select s.project_id, s.n, 0 as failed, s.input_tokens + s.completion_tokens + s.reasoning_tokens as tokens, s.cost
      from ledger_rollup s where ${ofDays} and s.dim = ${ALL_CALLS}
      union all
      select s.project_id, 0, s.n, 0, 0
      from ledger_dim d join ledger_rollup s on s.project_id = d.project_id and s.dim = d.dim
      where d.project_id = any(${projectIds}::text[]) and d.status = 'failed' and ${ofDays}) part
    group by project_id`;
}
