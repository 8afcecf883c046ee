import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { ALL_CALLS, GRAIN } from '../rollup/rollup.statements.js';
import { hourPartsOf, type Part, partsOf } from '../rollup/time-parts.js';
import { isOneOf, matchingRows } from './call-matching.statements.js';
import type { GroupBy } from './ledger-summary.schema.js';
import type { Matching } from './matching.js';

/** The column of a combination of filter values that is the key of its group. */
export const DIM_COLUMNS = {
  model: raw('d.model'),
  provider: raw('d.provider'),
  agent: raw('d.agent_name'),
  source: raw('d.source'),
  environment: raw('d.environment'),
};

/** The keys of groups by time, which sort as the times do. */
const TIME_FORMATS = {
  hour: raw(`'YYYY-MM-DD"T"HH24:00"Z"'`),
  day: raw(`'YYYY-MM-DD'`),
};

export const SUMS = raw('n, input_tokens, cached_tokens, completion_tokens, reasoning_tokens, latency_ms, cost');
const SUMMED_UP = raw(`
  sum(n) as n, sum(input_tokens) as input_tokens, sum(cached_tokens) as cached_tokens,
  sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
  sum(latency_ms) as latency_ms, sum(cost) as cost`);
const OF_ROW = raw(
  '1 as n, r.input_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens, r.latency_ms, r.cost',
);

/** Sums the matching calls by group. Hours and days come in order of time, all other groups with the highest cost first. */
export function sumsByGroup(matching: Matching, groupBy: GroupBy, limit: number): Sql {
  return summedByKey(keyed(matching, groupBy), isTime(groupBy), limit);
}

/** Adds up parts with the same key. */
export function summedByKey(parts: Sql, isInOrderOfTime: boolean, limit: number): Sql {
  const order = raw(isInOrderOfTime ? 'key' : 'cost desc, calls desc, key');
  return sql`
    select key, sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
           sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
           sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
           sum(cost)::float8 as cost
    from (${parts}) part
    group by key having sum(n) > 0 order by ${order} limit ${limit}`;
}

/**
 * Selects what is summed, with the key of its group. Sessions are no part of the rollup, so sums by or of sessions are
 * computed from the calls themselves.
 */
function keyed(matching: Matching, groupBy: GroupBy): Sql {
  if (groupBy === 'session' || (isTime(groupBy) && matching.sessionIds)) {
    const key = isTime(groupBy) ? timeKey(groupBy, sql`r.ts`) : sql`r.session_id`;
    return sql`select ${key} as key, ${OF_ROW} from ledger_row r where ${matchingRows(matching)}`;
  }
  if (isTime(groupBy)) {
    const all = sql`s.dim = ${ALL_CALLS}`;
    const combinations = matching.dims ? isOneOf(matching.projectId, sql`s.dim`, matching.dims) : all;
    const parts = groupBy === 'hour' ? hourPartsOf(matching) : partsOf(matching);
    return inParts(matching, parts, timeKey(groupBy, sql`r.ts`), timeKey(groupBy, sql`s.bucket`), combinations);
  }
  const combinations = matching.dims
    ? isOneOf(matching.projectId, sql`s.dim`, matching.dims)
    : sql`s.dim <> ${ALL_CALLS}`;
  const byCombination = inParts(matching, wholeOf(matching), sql`r.dim`, sql`s.dim`, combinations);
  return sql`
    select (select ${DIM_COLUMNS[groupBy]} from ledger_dim d
            where d.project_id = ${matching.projectId} and d.dim = part.key) as key, ${SUMS}
    from (select key, ${SUMMED_UP} from (${byCombination}) part group by key) part`;
}

/** Selects calls at the edges of the window, and the rollup's sums for the whole hours and days between them. */
function inParts(matching: Matching, parts: readonly Part[], keyOfRow: Sql, keyOfSum: Sql, combinations: Sql): Sql {
  const selects = parts.map((part) => {
    const within = { ...matching, from: part.from, to: part.to };
    if (part.countedFrom === 'rows') {
      return sql`select ${keyOfRow} as key, ${OF_ROW} from ledger_row r where ${matchingRows(within)}`;
    }
    return sql`
      select ${keyOfSum} as key, ${SUMS} from ledger_rollup s
      where s.project_id = ${matching.projectId} and s.grain = ${GRAIN[part.countedFrom]} and ${combinations}
        and s.bucket >= ${part.from}::timestamptz and s.bucket < ${part.to}::timestamptz`;
  });
  return join(selects, ' union all ');
}

function wholeOf(matching: Matching): readonly Part[] {
  return matching.sessionIds ? [{ ...matching, countedFrom: 'rows' }] : partsOf(matching);
}

export function isTime(groupBy: string): groupBy is keyof typeof TIME_FORMATS {
  return groupBy in TIME_FORMATS;
}

export function timeKey(groupBy: keyof typeof TIME_FORMATS, time: Sql): Sql {
  return sql`to_char(${time} at time zone 'UTC', ${TIME_FORMATS[groupBy]})`;
}
