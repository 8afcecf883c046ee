import { raw, type Sql, sql } from '../../platform/database/sql.js';
import { type Matching, matchingRows, matchingRowsOnTheWay } from './store.matching.js';

export interface PageWanted {
  sortBy: 'timestamp' | 'latencyMs' | 'cost' | 'totalTokens';
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = {
  timestamp: ['ts', 'id'],
  latencyMs: ['latency_ms', 'ts', 'id'],
  cost: ['cost', 'ts', 'id'],
  totalTokens: ['total_tokens', 'ts', 'id'],
};

/** The last call of the page before. */
export interface Position {
  value: number;
  time: Date;
  id: string;
}

const FROM_THE_BEGIN = sql`true`;

/** All columns in one direction, so that pages never repeat or skip a call. */
function orderOf({ sortBy, sortOrder }: PageWanted): Sql {
  return raw(COLUMNS[sortBy].map((column) => `r.${column} ${sortOrder}`).join(', '));
}

/** Along the index of the order, past what does not match: for a page of many that match. */
export function pageOnTheWay(matching: Matching, page: PageWanted, behind = FROM_THE_BEGIN): Sql {
  return sql`
    select r.* from ledger_row r where ${matchingRowsOnTheWay(matching)} and ${behind}
    order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}`;
}

/**
 * The same with many to skip, of which only the index is read: first for the time at which the page starts, then for how
 * many come before that time. The rest to skip are of that time too.
 */
export function pageAfterSkipping(matching: Matching, page: PageWanted): Sql {
  const rows = sql`ledger_row r where ${matchingRowsOnTheWay(matching)}`;
  const [order, before, after] = (page.sortOrder === 'asc' ? ['asc', '<', '>='] : ['desc', '>', '<=']).map(raw);
  return sql`
    select r.* from (
      select r.ts from ${rows} order by r.ts ${order!} limit 1 offset ${page.offset}) start
    cross join lateral (
      select r.* from ${rows} and r.ts ${after!} start.ts order by ${orderOf(page)} limit ${page.limit}
      offset ${page.offset}::bigint - (select count(*) from ${rows} and r.ts ${before!} start.ts)) r`;
}

/** All that match, sorted: for a page of few. */
export function pageOfFew(matching: Matching, page: PageWanted, behind = FROM_THE_BEGIN): Sql {
  return sql`
    select * from (
      with few as materialized (${fewRows(matching)})
      select r.* from few r where ${behind}
      order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}) page`;
}

/** The call of this id. Its time is in it, so no index of ids is needed; names in it may look like times too. */
export function callOfId(projectId: string, id: string, times: readonly Date[]): Sql {
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
export function behind({ sortBy, sortOrder }: PageWanted, { value, time, id }: Position): Sql {
  const columns = raw(COLUMNS[sortBy].map((column) => `r.${column}`).join(', '));
  const comparison = raw(sortOrder === 'asc' ? '>' : '<');
  const place = sql`${time}::timestamptz, ${id}`;
  const position = sortBy === 'timestamp' ? place : sql`${value}, ${place}`;
  return sql`(${columns}) ${comparison} (${position})`;
}

/** By time, what is left of the window too. */
export function windowBehind(matching: Matching, { sortBy, sortOrder }: PageWanted, { time }: Position): Matching {
  if (sortBy !== 'timestamp') return matching;
  return sortOrder === 'asc'
    ? { ...matching, from: later(matching.from, time) }
    : { ...matching, to: earlier(matching.to, new Date(time.getTime() + 1)) };
}

const later = (a: Date, b: Date) => (a > b ? a : b);
const earlier = (a: Date, b: Date) => (a < b ? a : b);
