import type { Span } from '../../../kernel/spans.js';
import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { isOneOf, matchingRows } from '../read/call-matching.statements.js';
import { areMany, type Matching } from '../read/matching.js';
import { type Counted, type Part, partsOf } from './time-parts.js';

/** The combination that stands for all: sums of a project's calls whatever their filter values. */
export const ALL_CALLS = raw(`'00000000-0000-0000-0000-000000000000'::uuid`);

export const GRAIN = { hours: raw(`'h'::"char"`), days: raw(`'d'::"char"`) };

/** How many calls match, exactly. Sessions have no sums: their rows are counted. */
function countCalls(matching: Matching): Sql {
  if (matching.sessionIds) return sql`(${countRows(matching)})`;
  return join(
    partsOf(matching).map((part) => sql`(${countPart(matching, part)})`),
    ' + ',
  );
}

export function totalOf(matching: Matching): Sql {
  return plannedIfFew(matching, sql`select (${countCalls(matching)})::float8 as total`);
}

/** Segments of all that match, in the order of time: the edges, whole hours, whole days. */
export function segmentsOf(matching: Matching): Sql {
  const segments = join(
    partsOf(matching).map((part) => segmentsOfPart(matching, part)),
    ' union all ',
  );
  return plannedIfFew(matching, sql`${segments} order by "from"`);
}

/** One that is a day, in hours. */
export function hoursOf(matching: Matching, { from, to }: Span): Sql {
  const hours = segmentsOfPart(matching, { counted: 'hours', from, to });
  return plannedIfFew(matching, sql`${hours} order by "from"`);
}

function segmentsOfPart(matching: Matching, part: Part): Sql {
  const { counted, from, to } = part;
  if (counted === 'rows') {
    const count = countPart(matching, part);
    return sql`select ${from}::timestamptz as "from", ${to}::timestamptz as "to", (${count})::float8 as count`;
  }
  const width = raw(counted === 'days' ? `interval '24 hours'` : `interval '1 hour'`);
  return sql`
    select s.bucket as "from", s.bucket + ${width} as "to", sum(s.n)::float8 as count
    from ${sumsOf({ ...matching, from, to }, counted)} group by s.bucket`;
}

function countPart(matching: Matching, { counted, from, to }: Part): Sql {
  const part = { ...matching, from, to };
  if (counted === 'rows') return countRows(part);
  return sql`select coalesce(sum(s.n), 0)::bigint from ${sumsOf(part, counted)}`;
}

function countRows(matching: Matching): Sql {
  return sql`select count(*) from ledger_row r where ${matchingRows(matching)}`;
}

/** Sums `s`, with what follows FROM. */
function sumsOf({ projectId, dims, from, to }: Matching, counted: Exclude<Counted, 'rows'>): Sql {
  const combinations = dims ? isOneOf(projectId, sql`s.dim`, dims) : sql`s.dim = ${ALL_CALLS}`;
  return sql`
    ledger_rollup s
    where s.project_id = ${projectId} and s.grain = ${GRAIN[counted]} and ${combinations}
    and s.bucket >= ${from}::timestamptz and s.bucket < ${to}::timestamptz`;
}

/** A plan for all values is as good as one for each, but where combinations are many or rows of sessions are counted. */
function plannedIfFew({ dims, sessionIds }: Matching, query: Sql): Sql {
  return sessionIds || (dims && areMany(dims)) ? query : query.plannedForAll();
}

/** What is summed of calls besides their number. Calls and sums have it under the same names. */
const SUMMED = ['input_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'latency_ms', 'cost'];

/** The columns of a sum, as what is added to the sums has them. */
const INTO_SUMS = raw(`into ledger_rollup (project_id, bucket, dim, grain, is_new, n, ${SUMMED.join(', ')})`);

const SUMS = raw(SUMMED.map((column) => `sum(${column})`).join(', '));
const SUMS_LESS = raw(SUMMED.map((column) => `-sum(${column})`).join(', '));
const SIGNED_SUMS = raw(SUMMED.map((column) => `sum(sign * ${column})`).join(', '));

/** What a call adds to the sums of its hour and its day. */
export const ONE_CALL = sql`count(*), ${SUMS}`;

/** What a call takes from them when it goes. */
export const ONE_CALL_LESS = sql`-count(*), ${SUMS_LESS}`;

/** The hour and the day of a call with the time `ts`. */
const BUCKETS = raw(`
  lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
    as grains (grain, bucket)`);

/**
 * Appends to the sums what calls change in them, by combination and for all. The calls are another part of the same
 * statement, so that calls and sums are never seen apart.
 */
export function addToSums(projectId: string, calls: Sql, change: Sql): Sql {
  return sql`
    insert ${INTO_SUMS}
    select ${projectId}, bucket, coalesce(dim, ${ALL_CALLS}), grain, true, ${change}
    from ${calls}, ${BUCKETS}
    group by grouping sets ((grain, bucket, dim), (grain, bucket))`;
}

/** Appends to the sums of two combinations what changes when calls move from one to the other. */
export function moveBetweenSums(projectId: string, calls: Sql, from: string, to: string): Sql {
  return sql`
    insert ${INTO_SUMS}
    select ${projectId}, bucket, side.of_dim, grain, true, sum(sign), ${SIGNED_SUMS}
    from ${calls}, ${BUCKETS}, (values (${from}::uuid, -1), (${to}::uuid, 1)) as side (of_dim, sign)
    group by bucket, side.of_dim, grain`;
}

/** Appends the sums of a month once more, with the other sign. */
export function takeMonthFromSums(isOfMonth: Sql): Sql {
  return sql`
    insert ${INTO_SUMS}
    select project_id, bucket, dim, grain, true, -sum(n), ${SUMS_LESS}
    from ledger_rollup where ${isOfMonth}
    group by project_id, bucket, dim, grain`;
}

/**
 * Adds up the sums that were appended for the same bucket. Only what this statement itself has deleted goes into the
 * new sum, so that two of them at once, or a reader beside them, are as exact as ever. Answers how many it took.
 */
export function compactSums(most: number): Sql {
  return sql`
    with appended as (
      select distinct project_id, grain, dim, bucket
      from (select * from ledger_rollup where is_new limit ${most}) new),
    taken as (
      delete from ledger_rollup s using appended a
      where s.project_id = a.project_id and s.grain = a.grain and s.dim = a.dim and s.bucket = a.bucket
      returning s.*),
    added_up as (
      insert ${INTO_SUMS}
      select project_id, bucket, dim, grain, false, sum(n), ${SUMS}
      from taken group by project_id, bucket, dim, grain
      having sum(n) <> 0 or sum(cost) <> 0)
    select count(*)::integer as taken from taken`;
}
