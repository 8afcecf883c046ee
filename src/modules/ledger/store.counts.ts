import { type Counted, type Part, partsOf } from './time-parts.js';
import { join, raw, type Sql, sql } from '../../platform/database/sql.js';
import { isOneOf, type Matching, matchingRows } from './store.matching.js';

/** The combination that stands for all: sums of a project's calls whatever their filter values. */
export const ALL_CALLS = raw(`'00000000-0000-0000-0000-000000000000'::uuid`);

export const GRAIN = { hours: raw(`'h'::"char"`), days: raw(`'d'::"char"`) };

/** How many calls match, exactly. Sessions have no sums: their rows are counted. */
export function countCalls(matching: Matching): Sql {
  if (matching.sessionIds) return sql`(${countRows(matching)})`;
  return join(
    partsOf(matching).map((part) => sql`(${countPart(matching, part)})`),
    ' + ',
  );
}

export function totalOf(matching: Matching): Sql {
  return sql`select (${countCalls(matching)})::float8 as total`;
}

function countPart(matching: Matching, { counted, from, to }: Part): Sql {
  if (counted === 'rows') return countRows({ ...matching, from, to });
  return sql`select coalesce(sum(s.n), 0)::bigint from ledger_rollup s where ${sums({ ...matching, from, to }, counted)}`;
}

/** The sums by hour or by day of what matches, where there are any. */
export function countsByBucket(matching: Matching, counted: Exclude<Counted, 'rows'>): Sql {
  return sql`
    select s.bucket, sum(s.n)::float8 as count from ledger_rollup s where ${sums(matching, counted)} group by s.bucket`;
}

function countRows(matching: Matching): Sql {
  return sql`select count(*) from ledger_row r where ${matchingRows(matching)}`;
}

function sums({ projectId, dims, from, to }: Matching, counted: Exclude<Counted, 'rows'>): Sql {
  const combinations = dims ? isOneOf(sql`s.dim`, dims) : sql`s.dim = ${ALL_CALLS}`;
  return sql`
    s.project_id = ${projectId} and s.grain = ${GRAIN[counted]} and ${combinations}
    and s.bucket >= ${from}::timestamptz and s.bucket < ${to}::timestamptz`;
}
