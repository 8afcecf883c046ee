import { type Sql, sql } from '../../../platform/database/sql.js';
import { ALL_CALLS, GRAIN } from '../rollup/rollup.statements.js';

/** Sums the calls of each project since the beginning of a day, from the sums of days alone. */
export function sumsOfProjects(projectIds: readonly string[], since: Date): Sql {
  return sql`
    select given.id as "projectId", sums.*, failures.*
    from unnest(${projectIds}::text[]) as given (id)
    cross join lateral (
      select coalesce(sum(s.n), 0)::float8 as calls, coalesce(sum(s.cost), 0)::float8 as cost,
             coalesce(sum(s.input_tokens + s.completion_tokens + s.reasoning_tokens), 0)::float8 as "totalTokens"
      from ledger_rollup s
      where s.project_id = given.id and s.grain = ${GRAIN.days} and s.dim = ${ALL_CALLS}
        and s.bucket >= ${since}::timestamptz) sums
    cross join lateral (
      select coalesce(sum(s.n), 0)::float8 as failed
      from ledger_dim d
      join ledger_rollup s on s.project_id = d.project_id and s.grain = ${GRAIN.days} and s.dim = d.dim
      where d.project_id = given.id and d.status = 'failed' and s.bucket >= ${since}::timestamptz) failures`;
}
