import { join, type Sql, sql } from '../../../platform/database/sql.js';
import type { DimFilter } from './calls-wanted.js';
import { areMany, type Dims, type Matching } from './matching.js';

/** The combinations of filter values that match. They are few: traffic repeats itself. */
export function matchingDims(projectId: string, filter: DimFilter): Sql {
  const conditions = [
    filter.channel !== null && sql`channel = ${filter.channel}`,
    filter.channelType !== null && sql`channel_type = ${filter.channelType}`,
    filter.sources !== null && sql`source_folded = any(${filter.sources}::text[])`,
    filter.subtypes !== null && sql`source_subtype = any(${filter.subtypes}::text[])`,
    filter.status !== null && sql`status = ${filter.status}`,
    filter.model !== null && sql`model = ${filter.model}`,
    filter.provider !== null && sql`provider = ${filter.provider}`,
    filter.environment !== null && sql`environment = ${filter.environment}`,
    filter.name !== null && sql`agent_name = ${filter.name}`,
  ].filter((condition) => condition !== false);
  return sql`select dim from ledger_dim where project_id = ${projectId} and ${join(conditions, ' and ')}`;
}

/** The rows `r` that match. */
export function matchingRows(matching: Matching): Sql {
  return join([ofProjectAndTime(matching), ...bySession(matching), ...byDim(matching)], ' and ');
}

/** The same rows, said so that no index by combination or session is used: for walking along another one. */
export function matchingRowsOnTheWay(matching: Matching): Sql {
  const conditions = [...bySession(matching), ...byDim(matching)].map((condition) => sql`(${condition}) is true`);
  return join([ofProjectAndTime(matching), ...conditions], ' and ');
}

function ofProjectAndTime({ projectId, from, to }: Matching): Sql {
  return sql`r.project_id = ${projectId} and r.ts >= ${from}::timestamptz and r.ts < ${to}::timestamptz`;
}

function bySession({ sessionIds }: Matching): Sql[] {
  return sessionIds ? [sql`r.session_id = any(${sessionIds}::text[])`] : [];
}

function byDim({ projectId, dims }: Matching): Sql[] {
  return dims ? [isOneOf(projectId, sql`r.dim`, dims)] : [];
}

/**
 * Many combinations are asked of all that is read at once, not looked up one by one. They are never joined: the planner
 * takes the matching combinations for one, and compares each with each.
 */
export function isOneOf(projectId: string, dim: Sql, dims: Dims): Sql {
  if (!areMany(dims)) return sql`${dim} = any(${dims.ids}::uuid[])`;
  return sql`(${dim} in (${matchingDims(projectId, dims.filter)})) is true`;
}
