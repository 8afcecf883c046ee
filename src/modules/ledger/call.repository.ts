import { EntityRepository } from '@mikro-orm/postgresql';
import type { Span } from '../../kernel/spans.js';
import { columnsOf } from '../../platform/database/columns.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import { asOne, row, rows, type Statement, theRow } from '../../platform/database/statement.js';
import { Call, type CallRow } from './call.entity.js';
import { type IntervalsWanted, sumsByGroup, sumsByInterval } from './read/call-groups.statements.js';
import { matchingDims } from './read/call-matching.statements.js';
import {
  type GroupsWanted,
  percentilesByGroup,
  percentilesOf,
  percentilesOfAll,
  percentilesOfAllByGroup,
} from './read/call-percentiles.statements.js';
import {
  type CallsOfProjects,
  type SummedCalls,
  sumsOfAll,
  sumsOfAllByInterval,
} from './read/installation-sums.statements.js';
import { sumsOfProjects } from './read/project-sums.statements.js';
import { rowOfId, rowsOfPage, sortValueOf } from './read/call-page.statements.js';
import { renderEachSummary, renderFull, renderSummaries } from './read/call-rendering.statements.js';
import { compactRollup, hoursOf, segmentsOf, totalOf } from './rollup/rollup.statements.js';
import { insertCalls } from './write/call-writing.statements.js';
import { dimsWithChannelOrEnvironment, moveToDimWithoutChannel } from './write/design-time.statements.js';
import type { DimFilter } from './read/calls-wanted.js';
import type { GroupOfAll } from './read/installation-sums.admin.schema.js';
import type { GroupBy } from './read/ledger-summary.schema.js';
import { isNarrowed, type Matching } from './read/matching.js';
import type { PagePlan, PageWanted, Position } from './read/page-plan.js';
import type { RepricingRow } from './prices/repricing.entity.js';
import { type Dim, dimsOf, type StoredCall, withoutChannelAndEnvironment } from './write/stored-call.js';

/** A span of time with the number of matching calls in it. */
export interface Segment extends Span {
  count: number;
}

/** The calls of a page, rendered as one text, and the position of the last one. */
export interface Summaries {
  count: number;
  text: string;
  last: Position | null;
}

/** One call as JSON, with its position in the order of the page. */
export interface RenderedCall extends Position {
  text: string;
  /** The number of rows that the page has, including those that were left out because of their size. */
  found: number;
  /** True if the call with its payload exceeds the size limit on its own. Its text then lacks the payload. */
  isTooLarge?: boolean;
}

/** A combination of filter values, and the project whose calls have it. */
export interface DimOfProject extends Dim {
  projectId: string;
}

/** The sums of the calls of one group. */
export interface GroupSums {
  key: string;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  latencyMs: number;
  cost: number;
}

/** The sums of the calls of one group in an hour or a day, whose key is `key`. */
export interface IntervalSums extends GroupSums {
  group: string;
  failed: number;
}

/** The sums of the calls of a project. */
export interface ProjectSums {
  projectId: string;
  calls: number;
  failed: number;
  totalTokens: number;
  cost: number;
}

type Percentiles = [p50: number, p95: number, p99: number];

/** The number of calls of a span, how many of them failed, and the percentiles of the times that they took. */
export interface CallTimes {
  /** The place of the span among those that are asked for. The first one has 1. */
  place: number;
  calls: number;
  failed: number;
  /** Null if there are no calls. */
  latencyMs: Percentiles | null;
  /** Null if no call has a first token. */
  timeToFirstTokenMs: Percentiles | null;
}

/** The same for the calls of one group, or of all groups if that is null. */
export interface GroupTimes extends CallTimes {
  group: string | null;
}

/**
 * The statements that read and write calls. Reading returns rendered JSON text instead of entities, because a page may
 * have 10,000 calls. The longer statements are composed in the `….statements.ts` files of `read/`, `write/` and
 * `rollup/`.
 */
export class CallRepository extends EntityRepository<Call> {
  /** Returns the hashes of the combinations of filter values that match. */
  matchingDims(projectId: string, filter: DimFilter): Statement<string[]> {
    return rows<{ dim: string }>(matchingDims(projectId, filter)).as((found) => found.map(({ dim }) => dim));
  }

  /** Returns the exact number of calls that match. */
  total(matching: Matching): Statement<number> {
    return theRow<{ total: number }>(totalOf(matching)).as(({ total }) => total);
  }

  /** Counts the matching calls in each part of the window, in order of time: its edges, whole hours and whole days. */
  segments(matching: Matching): Statement<Segment[]> {
    return rows(segmentsOf(matching));
  }

  /** Splits a segment of one day into its hours. */
  hoursOf(matching: Matching, day: Segment): Statement<Segment[]> {
    return rows(hoursOf(matching, day));
  }

  /** Renders the calls of a page as one text. */
  page(plan: PagePlan): Statement<Summaries> {
    return theRow<SummariesRow>(plannedOnceIfUnfiltered(plan, renderSummaries(plan, rowsOfPage(plan)))).as(toSummaries);
  }

  /** Renders a page and counts all matching calls, in one round trip. */
  pageWithTotal(plan: PagePlan): Statement<Summaries & { total: number }> {
    const query = sql`
      select counted.total, page.*
      from (${totalOf(plan.matching)}) counted, (${renderSummaries(plan, rowsOfPage(plan))}) page`;
    return theRow<SummariesRow & { total: number }>(plannedOnceIfUnfiltered(plan, query)).as((found) => ({
      ...toSummaries(found),
      total: found.total,
    }));
  }

  /** Renders each call of a page separately. */
  eachOfPage(plan: PagePlan): Statement<RenderedCall[]> {
    const query = renderEachSummary(plan.matching.projectId, sortValueOf(plan.page), rowsOfPage(plan));
    return rows(plannedOnceIfUnfiltered(plan, query));
  }

  /** Renders each call of a page with its payload, until `maxBytes` are used up. Returns at least one call. */
  fullPage(plan: PagePlan, maxBytes: number): Statement<RenderedCall[]> {
    return rows(renderFull(plan.matching.projectId, sortValueOf(plan.page), rowsOfPage(plan), maxBytes));
  }

  /** Returns one call. `times` are the times that its id may contain, by which its partition is found. */
  one(
    projectId: string,
    id: string,
    times: readonly Date[],
    dataMode: 'summary' | 'full',
  ): Statement<RenderedCall | null> {
    const found = rowOfId(projectId, id, times);
    const value = sortValueOf({ sortBy: 'timestamp' });
    return row(
      dataMode === 'full' ? renderFull(projectId, value, found, null) : renderEachSummary(projectId, value, found),
    );
  }

  /** Sums the matching calls by group. Days come in order of time, all other groups with the highest cost first. */
  sumsByGroup(matching: Matching, groupBy: GroupBy, limit: number): Statement<GroupSums[]> {
    return rows(sumsByGroup(matching, groupBy, limit));
  }

  /** Sums the matching calls of some groups by hour or day. */
  sumsByInterval(matching: Matching, wanted: IntervalsWanted): Statement<IntervalSums[]> {
    return rows(sumsByInterval(matching, wanted));
  }

  /** Sums the matching calls of some groups of several projects by hour or day. */
  sumsOfAllByInterval(calls: SummedCalls, wanted: IntervalsWanted): Statement<IntervalSums[]> {
    return rows(sumsOfAllByInterval(calls, wanted));
  }

  /** Sums the matching calls of several projects by group, in whole hours. */
  sumsOfAll(wanted: SummedCalls, groupBy: GroupOfAll, limit: number): Statement<GroupSums[]> {
    return rows(sumsOfAll(wanted, groupBy, limit));
  }

  /** Sums the calls of each project since the beginning of a day in UTC. */
  sumsOfProjects(projectIds: readonly string[], since: Date): Statement<ProjectSums[]> {
    return rows(sumsOfProjects(projectIds, since));
  }

  /** Counts the matching calls of each span, and computes exact percentiles of the times that they took. */
  percentiles(matching: Matching, spans: readonly Span[]): Statement<CallTimes[]> {
    return rows(percentilesOf(matching, spans));
  }

  /** Does the same for all matching calls, and for those of some groups in the spans that have any. */
  percentilesByGroup(matching: Matching, spans: readonly Span[], wanted: GroupsWanted): Statement<GroupTimes[]> {
    return rows(percentilesByGroup(matching, spans, wanted));
  }

  /**
   * Counts the calls of several projects that match a filter, by span, and computes exact percentiles of their times. A span
   * without such calls has no row.
   */
  percentilesOfAll(calls: CallsOfProjects, spans: readonly Span[]): Statement<CallTimes[]> {
    return rows(percentilesOfAll(calls, spans));
  }

  /** Does the same for all matching calls and for those of some groups. */
  percentilesOfAllByGroup(
    calls: CallsOfProjects,
    spans: readonly Span[],
    wanted: GroupsWanted,
  ): Statement<GroupTimes[]> {
    return rows(percentilesOfAllByGroup(calls, spans, wanted));
  }

  /**
   * Writes calls, and returns the `callId`s of those that the project did not have yet. The writes of `alongside` are
   * sent in the same statement. Only the last of them may lock rows, and it must return rows: counting these makes it
   * take its locks before the ledger does, in the order of `kernel/locks.ts`. `dims` are the combinations of filter
   * values that are written too.
   */
  add(
    projectId: string,
    calls: readonly StoredCall[],
    alongside: readonly Statement<unknown>[] = [],
    dims: readonly Dim[] = dimsOf(calls),
  ): Statement<string[]> {
    const written = rows<{ callId: string }>(insertCalls(projectId, calls, dims, alongside.at(-1)?.sql));
    return asOne(alongside.slice(0, -1), written)
      .as((added) => added.map(({ callId }) => callId))
      .taking('ledger');
  }

  /** Returns the next calls of a repricing's window. Calls whose writers sent a cost are skipped. */
  nextToReprice(repricing: RepricingRow, limit: number): Statement<CallRow[]> {
    const { projectId, afterNumber, afterTime, fromDate, toDate } = repricing;
    const begin = afterTime ?? fromDate;
    return rows(sql`
      select ${columnsOf(Call)} from ledger_row
      where project_id = ${projectId} and ts >= ${begin}::timestamptz and ts < ${toDate}::timestamptz
        and pricing <> 'o' and (ts, n) > (${begin}::timestamptz, ${afterNumber ?? 0}::bigint)
      order by ts, n limit ${limit}`);
  }

  /** Returns combinations of design time that have a channel or an environment, which they should not have. */
  dimsWithChannelOrEnvironment(limit: number): Statement<DimOfProject[]> {
    return rows(dimsWithChannelOrEnvironment(limit));
  }

  /** Removes channel and environment from the oldest calls of such a combination, and returns how many it corrected. */
  removeChannelAndEnvironment({ projectId, ...dim }: DimOfProject, limit: number): Statement<number> {
    return theRow<{ moved: number }>(moveToDimWithoutChannel(projectId, dim, withoutChannelAndEnvironment(dim), limit))
      .as(({ moved }) => moved)
      .taking('ledger');
  }

  /** Merges appended rows of the rollup, and returns the number of rows that it merged. */
  compactRollup(limit: number): Statement<number> {
    return theRow<{ taken: number }>(compactRollup(limit)).as(({ taken }) => taken);
  }
}

interface SummariesRow {
  count: number;
  text: string | null;
  lastValue: number;
  lastTime: Date;
  lastId: string;
}

function toSummaries({ count, text, lastValue: value, lastTime: time, lastId: id }: SummariesRow): Summaries {
  return { count, text: text ?? '', last: count > 0 ? { value, time, id } : null };
}

/** A page sorted by time without filters has the same best plan for every window, so it is planned once. */
function plannedOnceIfUnfiltered(
  { matching, page }: { matching: Matching; page: Pick<PageWanted, 'sortBy'> },
  query: Sql,
): Sql {
  return page.sortBy === 'timestamp' && !isNarrowed(matching) ? query.plannedForAll() : query;
}
