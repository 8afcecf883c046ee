import { raw, type Sql, sql } from '../../platform/database/sql.js';

export function countTraces(projectId: string, sessionId: string): Sql {
  return sql`select count(*)::integer as total from trace where project_id = ${projectId} and session_id = ${sessionId}`;
}

export interface TraceRow {
  id: string;
  started_at: Date;
  ended_at: Date;
}

/** In the order in which they began. */
export function tracesOfSession(projectId: string, sessionId: string, offset: number, limit: number): Sql {
  return sql`
    select id, started_at, ended_at from trace where project_id = ${projectId} and session_id = ${sessionId}
    order by started_at, id offset ${offset} limit ${limit}`;
}

export interface ObservationRow {
  trace_id: string;
  id: string;
  parent_id: string | null;
  kind: 'GENERATION' | 'SPAN';
  name: string;
  started_at: Date;
  ended_at: Date;
  status: 'success' | 'failed';
  status_message: string;
  model: string | null;
  provider: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: string | null;
  input: string | null;
  output: string | null;
  attributes: string;
}

/**
 * So many of each trace at most; of a parent that never arrived the children stand at the top. What was said in calls of
 * models is told or left out.
 */
export function observationsOf(
  projectId: string,
  traceIds: readonly string[],
  limit: number,
  calls: 'with texts' | 'without texts',
): Sql {
  const said = (column: Sql) =>
    calls === 'with texts' ? column : sql`case when o.kind = 'GENERATION' then null else ${column} end`;
  return sql`
    select found.* from unnest(${traceIds}::text[]) as wanted (trace_id), lateral (
      select o.trace_id, o.id, parent.id as parent_id, o.kind, o.name, o.started_at, o.ended_at, o.status,
             o.status_message, o.model, o.provider, o.input_tokens, o.output_tokens, o.cost,
             ${said(raw('o.input'))} as input, ${said(raw('o.output'))} as output, o.attributes
      from observation o left join observation parent
        on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
      where o.project_id = ${projectId} and o.trace_id = wanted.trace_id
      order by o.started_at, o.ended_at desc, o.id limit ${limit}) found`;
}
