import { join, type Sql, sql } from '../../../platform/database/sql.js';
import type { DimFilter } from './calls-wanted.js';
import { areMany, type Dims, type Matching } from './matching.js';

/** Selects the combinations of filter values that match. They are usually few, because calls repeat the same values. */
export function matchingDims(projectId: string, filter: DimFilter): Sql {
  return sql`select dim from ledger_dim where project_id = ${projectId} and ${hasValues(filter)}`;
}

/** The condition that a row of `ledger_dim` has these values. */
export function hasValues(filter: DimFilter): Sql {
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
  return join(conditions, ' and ');
}

/** The condition for rows `r` that match. */
export function matchingRows(matching: Matching): Sql {
  return join([ofProjectAndTime(matching), ...bySession(matching), ...byDim(matching)], ' and ');
}

/** The condition for the rows `r` that match between two other times than those of the window. */
export function matchingRowsBetween(matching: Matching, from: Sql, to: Sql): Sql {
  return join([ofProjectBetween(matching, from, to), ...bySession(matching), ...byDim(matching)], ' and ');
}

/**
 * The condition for the same rows, written so that PostgreSQL cannot use an index on combination or session. It is for
 * statements that walk another index.
 */
export function matchingRowsAlongIndex(matching: Matching): Sql {
  const conditions = [...bySession(matching), ...byDim(matching)].map((condition) => sql`(${condition}) is true`);
  return join([ofProjectAndTime(matching), ...conditions], ' and ');
}

function ofProjectAndTime(matching: Matching): Sql {
  return ofProjectBetween(matching, sql`${matching.from}::timestamptz`, sql`${matching.to}::timestamptz`);
}

function ofProjectBetween({ projectId }: Matching, from: Sql, to: Sql): Sql {
  return sql`r.project_id = ${projectId} and r.ts >= ${from} and r.ts < ${to}`;
}

function bySession({ sessionIds }: Matching): Sql[] {
  return sessionIds ? [sql`r.session_id = any(${sessionIds}::text[])`] : [];
}

function byDim({ projectId, dims }: Matching): Sql[] {
  return dims ? [isOneOf(projectId, sql`r.dim`, dims)] : [];
}

/**
 * The condition that `dim` is one of the matching combinations. Many combinations are read once into a hash table
 * instead of being looked up one by one. They are never joined: the planner estimates one matching combination, and
 * would compare each with each.
 */
export function isOneOf(projectId: string, dim: Sql, dims: Dims): Sql {
  if (!areMany(dims)) return sql`${dim} = any(${dims.ids}::uuid[])`;
  return sql`(${dim} in (${matchingDims(projectId, dims.filter)})) is true`;
}
