import type { Span } from '../../kernel/spans.js';
import { join, type Sql, sql } from '../../platform/database/sql.js';
import type { CallsWanted, DimFilter } from './calls-wanted.js';

/** Combinations of filter values: which they are, and how they are found. */
export interface Dims {
  ids: string[];
  query: Sql;
}

/** Calls of a project, narrowed down to combinations of filter values, or to sessions, or both; null is all. */
export interface Matching extends Span {
  projectId: string;
  dims: Dims | null;
  sessionIds: string[] | null;
}

/** The combinations of filter values that match. They are few: traffic repeats itself. */
export function matchingDims({ projectId }: Pick<CallsWanted, 'projectId'>, filter: DimFilter): Sql {
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

/** To some combinations or sessions; otherwise all calls of the window match. */
export function isNarrowed({ dims, sessionIds }: Matching): boolean {
  return dims !== null || sessionIds !== null;
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

function byDim({ dims }: Matching): Sql[] {
  return dims ? [isOneOf(sql`r.dim`, dims)] : [];
}

/**
 * Where traffic does not repeat itself there are thousands: then what is read is asked of them all at once, not looked
 * up one by one. Never joined: the planner takes the matching combinations for one, and compares each with each.
 */
const MANY_DIMS = 1_000;

export function isOneOf(dim: Sql, dims: Dims): Sql {
  return areMany(dims) ? sql`(${dim} in (${dims.query})) is true` : sql`${dim} = any(${dims.ids}::uuid[])`;
}

export function areMany({ ids }: Dims): boolean {
  return ids.length > MANY_DIMS;
}
