import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { isStorable } from '../../../kernel/storable-text.js';
import { type Ask, Reads } from '../../../platform/database/reads.js';
import { RenderedJson } from '../../../platform/transfer/rendered-json.js';
import { CallRepository, type RenderedCall, type Summaries } from '../call.repository.js';
import { CallSearch, isSmallOffset } from './call-search.js';
import { type CallsWanted, callsWanted } from './calls-wanted.js';
import { ledgerErrors } from '../ledger.errors.js';
import { MAX_FULL_BYTES, type RenderedPage, renderPage, renderSummaryPage } from './ledger-page.js';
import type { CallQuery, LedgerQuery } from './ledger-query.schema.js';
import { readCursor } from './page-cursor.js';
import type { Position } from './page-plan.js';

@Injectable()
export class LedgerReading {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
  ) {}

  async page(projectId: Id<'project'>, query: LedgerQuery): Promise<RenderedPage> {
    const wanted = callsWanted(projectId, query);
    if (isCommonPage(wanted, query)) return this.commonPage(wanted, query);
    const position = query.cursor === undefined ? undefined : readCursor(query.cursor, query);
    const { total, calls } = await this.reads.together((ask) => this.anyPage(ask, wanted, query, position));
    return Array.isArray(calls) ? renderPage(query, total, calls) : renderSummaryPage(query, total, calls);
  }

  /** Returns one call as JSON. Its payload may have any size. */
  async call(projectId: Id<'project'>, id: string, { dataMode }: CallQuery): Promise<RenderedJson> {
    const times = timesIn(id);
    if (times.length === 0) throw ledgerErrors.callNotFound();
    const call = await this.reads.one(this.calls.one(projectId, id, times, dataMode));
    if (!call) throw ledgerErrors.callNotFound();
    return new RenderedJson('{"success":true,"statusCode":200,"generation":', call.text, '}');
  }

  /** Uses a single statement for the page that clients request most often. */
  private async commonPage(wanted: CallsWanted, query: LedgerQuery): Promise<RenderedPage> {
    const matching = { ...wanted, dims: null };
    const { total, ...page } = await this.reads.one(
      this.calls.pageWithTotal({ strategy: 'walk', matching, page: query }),
    );
    return renderSummaryPage(query, total, page);
  }

  /** Reads any page. It counts the matches first, because their number decides how the rows are read. */
  private async anyPage(
    ask: Ask,
    wanted: CallsWanted,
    query: LedgerQuery,
    position: Position | undefined,
  ): Promise<{ total: number; calls: RenderedCall[] | Summaries }> {
    const matching = await this.search.matching(ask, wanted);
    const total = await this.search.total(ask, matching);
    // After a cursor the total does not tell how many calls are left. One call more than the page shows whether there
    // are any.
    const page = position ? { ...query, limit: query.limit + 1 } : query;
    const plan = await this.search.plan(ask, matching, page, total, position);
    if (query.dataMode === 'full') return { total, calls: await ask(this.calls.fullPage(plan, MAX_FULL_BYTES)) };
    if (position) return { total, calls: await ask(this.calls.eachOfPage(plan)) };
    return { total, calls: await ask(this.calls.page(plan)) };
  }
}

function isCommonPage({ filter, sessionIds }: CallsWanted, query: LedgerQuery): boolean {
  const { sortBy, dataMode, offset, cursor } = query;
  const isNewestOrOldest = sortBy === 'timestamp' && isSmallOffset(offset) && cursor === undefined;
  return isNewestOrOldest && dataMode === 'summary' && filter === null && sessionIds === null;
}

/** Returns the parts of an id that look like a time. One of them is the time of the call. */
function timesIn(id: string): Date[] {
  const texts = id.match(/(?<=:)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?=:)/g) ?? [];
  return isStorable(id) ? texts.map((text) => new Date(text)).filter((time) => !Number.isNaN(time.getTime())) : [];
}
