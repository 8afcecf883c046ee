import { type Counted, type Part, partsOf } from './time-parts.js';
import { join, raw, type Sql, sql } from '../../platform/database/sql.js';
import { areMany, isOneOf, type Matching, matchingRows } from './store.matching.js';

/** The combination that stands for all: sums of a project's calls whatever their filter values. */
export const ALL_CALLS = raw(`'00000000-0000-0000-0000-000000000000'::uuid`);

export const GRAIN = { hours: raw(`'h'::"char"`), days: raw(`'d'::"char"`) };

/** A span of time, and how many calls of it match. */
export interface Segment {
  from: Date;
  to: Date;
  count: number;
}

/** How many calls match, exactly. Sessions have no sums: their rows are counted. */
export function countCalls(matching: Matching): Sql {
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
export function hoursOf(matching: Matching, { from, to }: Segment): Sql {
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
  const combinations = dims ? isOneOf(sql`s.dim`, dims) : sql`s.dim = ${ALL_CALLS}`;
  return sql`
    ledger_rollup s
    where s.project_id = ${projectId} and s.grain = ${GRAIN[counted]} and ${combinations}
    and s.bucket >= ${from}::timestamptz and s.bucket < ${to}::timestamptz`;
}

/** A plan for all values is as good as one for each, but where combinations are many or rows of sessions are counted. */
function plannedIfFew({ dims, sessionIds }: Matching, query: Sql): Sql {
  return sessionIds || (dims && areMany(dims)) ? query : query.plannedForAll();
}
