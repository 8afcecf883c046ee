import { join, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { ALL_CALLS, GRAIN } from '../rollup/rollup.statements.js';
import { hourPartsOf, type Part, partsOf } from '../rollup/time-parts.js';
import { isOneOf, matchingRows } from './call-matching.statements.js';
import type { Interval } from './intervals.js';
import type { Divided, GroupBy } from './ledger-summary.schema.js';
import type { Matching } from './matching.js';

/** The groups whose sums by hour or day are wanted. */
export interface IntervalsWanted {
  groupBy: Divided;
  interval: Interval;
  groups: readonly string[];
}

/** The column of a combination of filter values that is the key of its group. */
export const DIM_COLUMNS: Record<Divided, Sql> = {
  model: raw('d.model'),
  provider: raw('d.provider'),
  agent: raw('d.agent_name'),
  source: raw('d.source'),
  environment: raw('d.environment'),
};

/** The keys of groups by time, which sort as the times do. */
const TIME_FORMATS: Record<Interval, Sql> = {
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

const NAMED_SUMS = raw(`
  sum(n)::float8 as calls, sum(input_tokens)::float8 as "inputTokens",
  sum(cached_tokens)::float8 as "cachedTokens", sum(completion_tokens)::float8 as "completionTokens",
  sum(reasoning_tokens)::float8 as "reasoningTokens", sum(latency_ms)::float8 as "latencyMs",
  sum(cost)::float8 as cost`);

/** Sums the matching calls by group. Hours and days come in order of time, all other groups with the highest cost first. */
export function sumsByGroup(matching: Matching, groupBy: GroupBy, limit: number): Sql {
  return summedByKey(keyed(matching, groupBy), isTime(groupBy), limit);
}

/** Adds up parts with the same key. */
export function summedByKey(parts: Sql, isInOrderOfTime: boolean, limit: number): Sql {
  const order = raw(isInOrderOfTime ? 'key' : 'cost desc, calls desc, key');
  return sql`
    select key, ${NAMED_SUMS}
    from (${parts}) part
    group by key having sum(n) > 0 order by ${order} limit ${limit}`;
}

/** Sums the matching calls of some groups by hour or day, in order of time. */
export function sumsByInterval(matching: Matching, { groupBy, interval, groups }: IntervalsWanted): Sql {
  const parts = interval === 'hour' && !matching.sessionIds ? hourPartsOf(matching) : wholeOf(matching);
  const timeAndDim = (time: Sql, dim: Sql) => sql`${timeKey(interval, time)} as time, ${dim}`;
  const byCombination = inParts(
    matching,
    parts,
    timeAndDim(sql`r.ts`, sql`r.dim`),
    timeAndDim(sql`s.bucket`, sql`s.dim`),
    combinationsOf(matching),
  );
  return summedByInterval(
    sql`
      select ${DIM_COLUMNS[groupBy]} as of_group, d.status, part.*
      from (select time, key, ${SUMMED_UP} from (${byCombination}) part group by time, key) part
      join ledger_dim d on d.project_id = ${matching.projectId} and d.dim = part.key`,
    groups,
  );
}

/** Adds up parts with the same group and time, and counts those of failed calls. */
export function summedByInterval(parts: Sql, groups: readonly string[]): Sql {
  return sql`
    select part.of_group as "group", part.time as key, ${NAMED_SUMS},
           coalesce(sum(n) filter (where status = 'failed'), 0)::float8 as failed
    from (${parts}) part
    where part.of_group = any(${groups}::text[])
    group by part.of_group, part.time having sum(n) > 0 order by part.time`;
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
  const byCombination = inParts(matching, wholeOf(matching), sql`r.dim`, sql`s.dim`, combinationsOf(matching));
  return sql`
    select (select ${DIM_COLUMNS[groupBy]} from ledger_dim d
            where d.project_id = ${matching.projectId} and d.dim = part.key) as key, ${SUMS}
    from (select key, ${SUMMED_UP} from (${byCombination}) part group by key) part`;
}

/** The condition that a row `s` of the rollup has one of the matching combinations. */
function combinationsOf({ projectId, dims }: Matching): Sql {
  return dims ? isOneOf(projectId, sql`s.dim`, dims) : sql`s.dim <> ${ALL_CALLS}`;
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
