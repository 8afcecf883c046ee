import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { matchingRows, matchingRowsAlongIndex } from './call-matching.statements.js';
import type { Matching } from './matching.js';
import type { PagePlan, PageWanted, Position } from './page-plan.js';

const COLUMNS = {
  timestamp: ['ts', 'id'],
  latencyMs: ['latency_ms', 'ts', 'id'],
  cost: ['cost', 'ts', 'id'],
  totalTokens: ['total_tokens', 'ts', 'id'],
};

const FROM_THE_START = sql`true`;

/** Selects the rows of a page in their order. */
export function rowsOfPage({ strategy, matching, page, after }: PagePlan): Sql {
  if (strategy === 'skip') return rowsAtOffset(matching, page);
  const condition = after ? isAfter(page, after) : FROM_THE_START;
  return strategy === 'walk' ? walkedRows(matching, page, condition) : sortedRows(matching, page, condition);
}

/** The sort value of rows `p`, in the form that `Position.value` has. */
export function sortValueOf({ sortBy }: Pick<PageWanted, 'sortBy'>): Sql {
  return sortBy === 'timestamp' ? raw('0') : raw(`p.${COLUMNS[sortBy][0]}::float8`);
}

/**
 * All columns have the same direction, so that one comparison of rows finds the position at which the next page begins.
 */
function orderOf({ sortBy, sortOrder }: PageWanted): Sql {
  return raw(COLUMNS[sortBy].map((column) => `r.${column} ${sortOrder}`).join(', '));
}

function walkedRows(matching: Matching, page: PageWanted, condition: Sql): Sql {
  return sql`
    select r.* from ledger_row r where ${matchingRowsAlongIndex(matching)} and ${condition}
    order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}`;
}

/**
 * Reads only the index to find the time of the first row of the page, and to count the rows before that time. The rows
 * that are still to be skipped then have that same time.
 */
function rowsAtOffset(matching: Matching, page: PageWanted): Sql {
  const rows = sql`ledger_row r where ${matchingRowsAlongIndex(matching)}`;
  const [order, before, after] = (page.sortOrder === 'asc' ? ['asc', '<', '>='] : ['desc', '>', '<=']).map(raw);
  return sql`
    select r.* from (
      select r.ts from ${rows} order by r.ts ${order!} limit 1 offset ${page.offset}) start
    cross join lateral (
      select r.* from ${rows} and r.ts ${after!} start.ts order by ${orderOf(page)} limit ${page.limit}
      offset ${page.offset}::bigint - (select count(*) from ${rows} and r.ts ${before!} start.ts)) r`;
}

function sortedRows(matching: Matching, page: PageWanted, condition: Sql): Sql {
  return sql`
    select * from (
      with few as materialized (${allMatchingRows(matching)})
      select r.* from few r where ${condition}
      order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}) page`;
}

/**
 * Selects the call with this id. No index of ids is needed, because an id contains the time of its call. There may be
 * several candidates for it, because other parts of the id may look like a time.
 */
export function rowOfId(projectId: string, id: string, times: readonly Date[]): Sql {
  return sql`
    select * from ledger_row r
    where r.project_id = ${projectId} and r.ts = any(${times}::timestamptz[]) and r.id = ${id}`;
}

/** Up to this number of combinations, looking up each one is faster than reading the whole window. */
const MAX_DIM_LOOKUPS = 10_000;

/**
 * Selects all matching rows, by a lookup for each combination if there are filters. Without the lookups, the planner
 * reads the whole window.
 */
function allMatchingRows(matching: Matching): Sql {
  const { dims, sessionIds } = matching;
  if (!dims || dims.ids.length > MAX_DIM_LOOKUPS || sessionIds)
    return sql`select r.* from ledger_row r where ${matchingRows(matching)}`;
  return sql`
    select r.* from unnest(${dims.ids}::uuid[]) as wanted (dim)
    cross join lateral (
      select r.* from ledger_row r where ${matchingRows({ ...matching, dims: null })} and r.dim = wanted.dim offset 0) r`;
}

/** The condition for rows `r` after the position in the order of the page. */
function isAfter({ sortBy, sortOrder }: PageWanted, { value, time, id }: Position): Sql {
  const columns = raw(COLUMNS[sortBy].map((column) => `r.${column}`).join(', '));
  const comparison = raw(sortOrder === 'asc' ? '>' : '<');
  const place = sql`${time}::timestamptz, ${id}`;
  const position = sortBy === 'timestamp' ? place : sql`${value}, ${place}`;
  return sql`(${columns}) ${comparison} (${position})`;
}
