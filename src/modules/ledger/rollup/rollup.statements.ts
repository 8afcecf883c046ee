import type { Span } from '../../../kernel/spans.js';
import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { isOneOf, matchingRows } from '../read/call-matching.statements.js';
import { areMany, type Matching } from '../read/matching.js';
import { type CountedFrom, type Part, partsOf } from './time-parts.js';

/*
 * The rollup, `ledger_rollup`, has sums of calls by project, combination of filter values (`dim`), and hour or day
 * (`grain` and `bucket`). A bucket may have several rows, whose sums add up: writers append rows that are `is_new`, and
 * compaction later merges all rows of a bucket. Queries therefore always sum the rows that they find.
 */

/** The `dim` of rows with the sums of all calls of a project. Every other `dim` is a combination of filter values. */
export const ALL_CALLS = raw(`'00000000-0000-0000-0000-000000000000'::uuid`);

export const GRAIN = { hours: raw(`'h'::"char"`), days: raw(`'d'::"char"`) };

/**
 * Counts the matching calls exactly. The rollup has no sums by session, so calls of sessions are counted one by one.
 */
function countCalls(matching: Matching): Sql {
  if (matching.sessionIds) return sql`(${countRows(matching)})`;
  return join(
    partsOf(matching).map((part) => sql`(${countPart(matching, part)})`),
    ' + ',
  );
}

export function totalOf(matching: Matching): Sql {
  return plannedOnceIfFew(matching, sql`select (${countCalls(matching)})::float8 as total`);
}

/** Counts the matching calls in each part of the window, in order of time: its edges, whole hours and whole days. */
export function segmentsOf(matching: Matching): Sql {
  const segments = join(
    partsOf(matching).map((part) => segmentsOfPart(matching, part)),
    ' union all ',
  );
  return plannedOnceIfFew(matching, sql`${segments} order by "from"`);
}

/** Counts the matching calls in each hour of a day. */
export function hoursOf(matching: Matching, { from, to }: Span): Sql {
  const hours = segmentsOfPart(matching, { countedFrom: 'hours', from, to });
  return plannedOnceIfFew(matching, sql`${hours} order by "from"`);
}

function segmentsOfPart(matching: Matching, part: Part): Sql {
  const { countedFrom: counted, from, to } = part;
  if (counted === 'rows') {
    const count = countPart(matching, part);
    return sql`select ${from}::timestamptz as "from", ${to}::timestamptz as "to", (${count})::float8 as count`;
  }
  const width = raw(counted === 'days' ? `interval '24 hours'` : `interval '1 hour'`);
  return sql`
    select s.bucket as "from", s.bucket + ${width} as "to", sum(s.n)::float8 as count
    from ${rollupOf({ ...matching, from, to }, counted)} group by s.bucket`;
}

function countPart(matching: Matching, { countedFrom: counted, from, to }: Part): Sql {
  const part = { ...matching, from, to };
  if (counted === 'rows') return countRows(part);
  return sql`select coalesce(sum(s.n), 0)::bigint from ${rollupOf(part, counted)}`;
}

function countRows(matching: Matching): Sql {
  return sql`select count(*) from ledger_row r where ${matchingRows(matching)}`;
}

/** The FROM and WHERE clauses for rows `s` of the rollup. */
function rollupOf({ projectId, dims, from, to }: Matching, counted: Exclude<CountedFrom, 'rows'>): Sql {
  const combinations = dims ? isOneOf(projectId, sql`s.dim`, dims) : sql`s.dim = ${ALL_CALLS}`;
  return sql`
    ledger_rollup s
    where s.project_id = ${projectId} and s.grain = ${GRAIN[counted]} and ${combinations}
    and s.bucket >= ${from}::timestamptz and s.bucket < ${to}::timestamptz`;
}

/**
 * A generic plan is as good as one for each set of values, unless there are many combinations or a filter for sessions.
 */
function plannedOnceIfFew({ dims, sessionIds }: Matching, query: Sql): Sql {
  return sessionIds || (dims && areMany(dims)) ? query : query.plannedForAll();
}

/** The columns that are summed, in addition to the number of calls. Both tables have them under the same names. */
const SUMMED = ['input_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'latency_ms', 'cost'];

/** The columns of the rollup, in the order in which the statements below select them. */
const INTO_ROLLUP = raw(`into ledger_rollup (project_id, bucket, dim, grain, is_new, n, ${SUMMED.join(', ')})`);

const SUMS = raw(SUMMED.map((column) => `sum(${column})`).join(', '));
const NEGATED_SUMS = raw(SUMMED.map((column) => `-sum(${column})`).join(', '));
const SIGNED_SUMS = raw(SUMMED.map((column) => `sum(sign * ${column})`).join(', '));

/** The change of the rollup's sums when calls are written. */
export const CALLS_ADDED = sql`count(*), ${SUMS}`;

/** The change of the rollup's sums when calls are deleted. */
export const CALLS_REMOVED = sql`-count(*), ${NEGATED_SUMS}`;

/** The buckets to which a call with the time `ts` belongs: its hour and its day. */
const BUCKETS = raw(`
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
    as grains (grain, bucket)`);

/**
 * Appends a change of the sums to the rollup, for each combination of filter values and for all calls. Rows are never
 * updated, so writers do not wait for one another. `calls` is another part of the same statement, so that readers never
 * see the calls without their sums.
 */
export function addToRollup(projectId: string, calls: Sql, change: Sql): Sql {
  return sql`
    insert ${INTO_ROLLUP}
    select ${projectId}, bucket, coalesce(dim, ${ALL_CALLS}), grain, true, ${change}
    from ${calls}, ${BUCKETS}
    group by grouping sets ((grain, bucket, dim), (grain, bucket))`;
}

/** Appends the change of the sums when calls move from one combination to another: less for one, more for the other. */
export function moveInRollup(projectId: string, calls: Sql, from: string, to: string): Sql {
  return sql`
    insert ${INTO_ROLLUP}
    select ${projectId}, bucket, side.of_dim, grain, true, sum(sign), ${SIGNED_SUMS}
    from ${calls}, ${BUCKETS}, (values (${from}::uuid, -1), (${to}::uuid, 1)) as side (of_dim, sign)
    group by bucket, side.of_dim, grain`;
}

/** Appends the negated sums of a month, so that they cancel out. Compaction may run at the same time without harm. */
export function subtractMonthFromRollup(isOfMonth: Sql): Sql {
  return sql`
    insert ${INTO_ROLLUP}
    select project_id, bucket, dim, grain, true, -sum(n), ${NEGATED_SUMS}
    from ledger_rollup where ${isOfMonth}
    group by project_id, bucket, dim, grain`;
}

/**
 * Replaces the rows of each bucket that has appended ones by a single row, and returns the number of rows that it read.
 * The new row sums exactly the rows that this statement deleted. The rollup therefore stays exact if two compactions
 * run at once, and for every reader.
 */
export function compactRollup(limit: number): Sql {
  return sql`
    with appended as (
      select distinct project_id, grain, dim, bucket
      from (select * from ledger_rollup where is_new limit ${limit}) new),
    taken as (
      delete from ledger_rollup s using appended a
      where s.project_id = a.project_id and s.grain = a.grain and s.dim = a.dim and s.bucket = a.bucket
      returning s.*),
    added_up as (
      insert ${INTO_ROLLUP}
      select project_id, bucket, dim, grain, false, sum(n), ${SUMS}
      from taken group by project_id, bucket, dim, grain
      having sum(n) <> 0 or sum(cost) <> 0)
    select count(*)::integer as taken from taken`;
}
