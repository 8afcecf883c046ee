import { EntityRepository } from '@mikro-orm/postgresql';
import type { Span } from '../../kernel/spans.js';
import { columnsOf } from '../../platform/database/columns.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import { asOne, row, rows, type Statement, theRow } from '../../platform/database/statement.js';
import { Call, type CallRow } from './call.entity.js';
import { sumsByGroup } from './read/call-groups.statements.js';
import { matchingDims } from './read/call-matching.statements.js';
import { rowOfId, rowsOfPage, sortValueOf } from './read/call-page.statements.js';
import { renderEachSummary, renderFull, renderSummaries } from './read/call-rendering.statements.js';
import { compactSums, hoursOf, segmentsOf, totalOf } from './sums/call-sums.statements.js';
import { insertCalls } from './write/call-writing.statements.js';
import { dimsWithConversation, moveFromConversation } from './write/design-time.statements.js';
import type { DimFilter } from './read/calls-wanted.js';
import type { GroupBy } from './read/ledger-summary.schema.js';
import { isNarrowed, type Matching } from './read/matching.js';
import type { PagePath, PageWanted, Position } from './read/page-path.js';
import type { RepricingRow } from './prices/repricing.entity.js';
import { type Dim, type StoredCall, withoutConversation } from './write/stored-call.js';

/** A span of time, and how many calls of it match. */
export interface Segment extends Span {
  count: number;
}

/** A page as one text. */
export interface Summaries {
  count: number;
  text: string;
  last: Position | null;
}

/** A call as it is shown, and where it stands in the order of its page. */
export interface RenderedCall extends Position {
  text: string;
  /** How many rows there were to render. */
  found: number;
  /** Alone, with its payload: it has none here. */
  isTooLarge?: boolean;
}

/** A combination of filter values of a project. */
export interface DimOfProject extends Dim {
  projectId: string;
}

/** What the calls of a group add up to. */
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

/**
 * What is asked and written of calls, as statements. Calls are read as rendered text, without entities. The long ones
 * are composed in files of their own: `call-….statements.ts`, which nobody else imports.
 */
export class CallRepository extends EntityRepository<Call> {
  /** Which combinations of filter values match. */
  matchingDims(projectId: string, filter: DimFilter): Statement<string[]> {
    return rows<{ dim: string }>(matchingDims(projectId, filter)).as((found) => found.map(({ dim }) => dim));
  }

  /** How many match, exactly. */
  total(matching: Matching): Statement<number> {
    return theRow<{ total: number }>(totalOf(matching)).as(({ total }) => total);
  }

  /** Segments of all that match, in the order of time: the edges, whole hours, whole days. */
  segments(matching: Matching): Statement<Segment[]> {
    return rows(segmentsOf(matching));
  }

  /** The hours of a segment that is a day. */
  hoursOf(matching: Matching, day: Segment): Statement<Segment[]> {
    return rows(hoursOf(matching, day));
  }

  /** The calls of a page, rendered together. */
  page(path: PagePath): Statement<Summaries> {
    return theRow<SummariesRow>(plannedIfAlike(path, renderSummaries(path, rowsOfPage(path)))).as(toSummaries);
  }

  /** The same with how many match in all, in one statement. */
  pageWithTotal(path: PagePath): Statement<Summaries & { total: number }> {
    const query = sql`
      select counted.total, page.*
      from (${totalOf(path.matching)}) counted, (${renderSummaries(path, rowsOfPage(path))}) page`;
    return theRow<SummariesRow & { total: number }>(plannedIfAlike(path, query)).as((found) => ({
      ...toSummaries(found),
      total: found.total,
    }));
  }

  /** The calls of a page one by one. */
  eachOfPage(path: PagePath): Statement<RenderedCall[]> {
    const query = renderEachSummary(path.matching.projectId, sortValueOf(path.page), rowsOfPage(path));
    return rows(plannedIfAlike(path, query));
  }

  /** The calls of a page one by one with their payloads, as far as they fit into so many bytes, but one at least. */
  fullPage(path: PagePath, maxBytes: number): Statement<RenderedCall[]> {
    return rows(renderFull(path.matching.projectId, sortValueOf(path.page), rowsOfPage(path), maxBytes));
  }

  /** One call; its time is one of those. */
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

  /** The sums of what matches, group by group; days in their order, of other groups the dearest first. */
  sumsByGroup(matching: Matching, groupBy: GroupBy, limit: number): Statement<GroupSums[]> {
    return rows(sumsByGroup(matching, groupBy, limit));
  }

  /**
   * Writes calls, and answers with the names of those that the project did not have yet. Of what is written in the same
   * statement, the last one takes its locks first: those of the ledger come last.
   */
  add(
    projectId: string,
    calls: readonly StoredCall[],
    together: readonly Statement<unknown>[] = [],
  ): Statement<string[]> {
    const written = rows<{ callId: string }>(insertCalls(projectId, calls, together.at(-1)?.sql));
    return asOne(together.slice(0, -1), written)
      .as((added) => added.map(({ callId }) => callId))
      .taking('ledger');
  }

  /** The next calls of a repricing's window whose writers did not say what they cost. */
  nextReckoned(repricing: RepricingRow, most: number): Statement<CallRow[]> {
    const { projectId, afterNumber, afterTime, fromDate, toDate } = repricing;
    const begin = afterTime ?? fromDate;
    return rows(sql`
      select ${columnsOf(Call)} from ledger_row
      where project_id = ${projectId} and ts >= ${begin}::timestamptz and ts < ${toDate}::timestamptz
        and pricing <> 'o' and (ts, n) > (${begin}::timestamptz, ${afterNumber ?? 0}::bigint)
      order by ts, n limit ${most}`);
  }

  /** Combinations of design time that have a channel or an environment although they should not. */
  dimsWithConversation(most: number): Statement<DimOfProject[]> {
    return rows(dimsWithConversation(most));
  }

  /** Removes channel and environment from the oldest calls of such a combination. Answers how many calls it corrected. */
  removeConversation({ projectId, ...dim }: DimOfProject, most: number): Statement<number> {
    return theRow<{ moved: number }>(moveFromConversation(projectId, dim, withoutConversation(dim), most))
      .as(({ moved }) => moved)
      .taking('ledger');
  }

  /** Adds up what was appended to the sums, and answers how much of it there was. */
  compactSums(most: number): Statement<number> {
    return theRow<{ taken: number }>(compactSums(most)).as(({ taken }) => taken);
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

/** The pages of all calls of a window are found alike whatever the window: they are planned once. */
function plannedIfAlike({ matching, page }: { matching: Matching; page: Pick<PageWanted, 'sortBy'> }, query: Sql): Sql {
  return page.sortBy === 'timestamp' && !isNarrowed(matching) ? query.plannedForAll() : query;
}
