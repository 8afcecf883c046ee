import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { matchingRows, matchingRowsOnTheWay } from './call-matching.statements.js';
import type { Matching } from './matching.js';
import type { PagePath, PageWanted, Position } from './page-path.js';

const COLUMNS = {
  timestamp: ['ts', 'id'],
  latencyMs: ['latency_ms', 'ts', 'id'],
  cost: ['cost', 'ts', 'id'],
  totalTokens: ['total_tokens', 'ts', 'id'],
};

const FROM_THE_BEGIN = sql`true`;

/** The rows of a page, in their order. */
export function rowsOfPage({ way, matching, page, after }: PagePath): Sql {
  if (way === 'skip') return skippedRows(matching, page);
  const isBehind = after ? behind(page, after) : FROM_THE_BEGIN;
  return way === 'walk' ? rowsOnTheWay(matching, page, isBehind) : sortedRows(matching, page, isBehind);
}

/** What rows `p` are sorted by, as a `Position` has it. */
export function sortValueOf({ sortBy }: Pick<PageWanted, 'sortBy'>): Sql {
  return sortBy === 'timestamp' ? raw('0') : raw(`p.${COLUMNS[sortBy][0]}::float8`);
}

/** All columns in one direction, so that pages never repeat or skip a call. */
function orderOf({ sortBy, sortOrder }: PageWanted): Sql {
  return raw(COLUMNS[sortBy].map((column) => `r.${column} ${sortOrder}`).join(', '));
}

function rowsOnTheWay(matching: Matching, page: PageWanted, isBehind: Sql): Sql {
  return sql`
    select r.* from ledger_row r where ${matchingRowsOnTheWay(matching)} and ${isBehind}
    order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}`;
}

/**
 * Reads the index first for the time at which the page starts, then for how many come before that time. The rest to skip
 * are of that time too.
 */
function skippedRows(matching: Matching, page: PageWanted): Sql {
  const rows = sql`ledger_row r where ${matchingRowsOnTheWay(matching)}`;
  const [order, before, after] = (page.sortOrder === 'asc' ? ['asc', '<', '>='] : ['desc', '>', '<=']).map(raw);
  return sql`
    select r.* from (
      select r.ts from ${rows} order by r.ts ${order!} limit 1 offset ${page.offset}) start
    cross join lateral (
      select r.* from ${rows} and r.ts ${after!} start.ts order by ${orderOf(page)} limit ${page.limit}
      offset ${page.offset}::bigint - (select count(*) from ${rows} and r.ts ${before!} start.ts)) r`;
}

function sortedRows(matching: Matching, page: PageWanted, isBehind: Sql): Sql {
  return sql`
    select * from (
      with few as materialized (${fewRows(matching)})
      select r.* from few r where ${isBehind}
      order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}) page`;
}

/** The call of this id. Its time is in it, so no index of ids is needed; names in it may look like times too. */
export function rowOfId(projectId: string, id: string, times: readonly Date[]): Sql {
  return sql`
    select * from ledger_row r
    where r.project_id = ${projectId} and r.ts = any(${times}::timestamptz[]) and r.id = ${id}`;
}

/** So many combinations are looked up one by one sooner than the whole window is read. */
const MANY_SEEKS = 10_000;

/** Combination by combination, where there are any: the planner would rather read the whole window. */
function fewRows(matching: Matching): Sql {
  const { dims, sessionIds } = matching;
  if (!dims || dims.ids.length > MANY_SEEKS || sessionIds)
    return sql`select r.* from ledger_row r where ${matchingRows(matching)}`;
  return sql`
    select r.* from unnest(${dims.ids}::uuid[]) as wanted (dim)
    cross join lateral (
      select r.* from ledger_row r where ${matchingRows({ ...matching, dims: null })} and r.dim = wanted.dim offset 0) r`;
}

/** The rows `r` behind the position. */
function behind({ sortBy, sortOrder }: PageWanted, { value, time, id }: Position): Sql {
  const columns = raw(COLUMNS[sortBy].map((column) => `r.${column}`).join(', '));
  const comparison = raw(sortOrder === 'asc' ? '>' : '<');
  const place = sql`${time}::timestamptz, ${id}`;
  const position = sortBy === 'timestamp' ? place : sql`${value}, ${place}`;
  return sql`(${columns}) ${comparison} (${position})`;
}
