import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { type Ask, Reads } from '../../platform/database/reads.js';
import type { Sql } from '../../platform/database/sql.js';
import { RenderedJson } from '../../platform/transfer/rendered-json.js';
import { type CallsWanted, callsWanted } from './calls-wanted.js';
import { ledgerErrors } from './ledger.errors.js';
import { MAX_FULL_BYTES, type RenderedPage, renderPage, renderSummaryPage, type Summaries } from './ledger-page.js';
import type { CallQuery, LedgerQuery } from './ledger-query.schema.js';
import { countMatching, matchingOf } from './matching.js';
import { readCursor } from './page-cursor.js';
import { findPage, isNear, plannedIfAlike } from './page-finding.js';
import { callOfId, pageOnTheWay, type Position } from './store.page.js';
import {
  renderEachSummary,
  renderFull,
  type RenderedRow,
  renderSummaries,
  renderSummariesOf,
} from './store.rendering.js';

@Injectable()
export class LedgerReading {
  constructor(private readonly reads: Reads) {}

  async page(projectId: Id<'project'>, query: LedgerQuery): Promise<RenderedPage> {
    const wanted = callsWanted(projectId, query);
    if (isPlain(wanted, query)) return this.plainPage(wanted, query);
    const position = query.cursor === undefined ? undefined : readCursor(query.cursor, query);
    const { total, calls } = await this.reads.together((ask) => anyPage(ask, wanted, query, position));
    return Array.isArray(calls) ? renderPage(query, total, calls) : renderSummaryPage(query, total, calls);
  }

  /** One call as JSON, whatever its size. */
  async call(projectId: Id<'project'>, id: string, { dataMode }: CallQuery): Promise<RenderedJson> {
    const times = timesIn(id);
    if (times.length === 0) throw ledgerErrors.callNotFound();
    const row = callOfId(projectId, id, times);
    const rendered = dataMode === 'full' ? renderFull(projectId, row, null) : renderEachSummary(projectId, row);
    const [call] = await this.reads.one<RenderedRow>(rendered);
    if (!call) throw ledgerErrors.callNotFound();
    return new RenderedJson('{"success":true,"statusCode":200,"generation":', call.text, '}');
  }

  /** What is asked for most, in one statement. */
  private async plainPage(wanted: CallsWanted, query: LedgerQuery): Promise<RenderedPage> {
    const matching = { ...wanted, dims: null };
    const rows = pageOnTheWay(matching, query);
    const rendered = plannedIfAlike(matching, query, renderSummariesOf(matching, rows));
    const [page] = await this.reads.one<Summaries & { total: number }>(rendered);
    return renderSummaryPage(query, page!.total, page!);
  }
}

function isPlain({ filter, sessionIds }: CallsWanted, query: LedgerQuery): boolean {
  const { sortBy, dataMode, offset, cursor } = query;
  const isNewestOrOldest = sortBy === 'timestamp' && isNear(offset) && cursor === undefined;
  return isNewestOrOldest && dataMode === 'summary' && filter === null && sessionIds === null;
}

/** First how many match; that decides how the rows are found. */
async function anyPage(
  ask: Ask,
  wanted: CallsWanted,
  query: LedgerQuery,
  position: Position | undefined,
): Promise<{ total: number; calls: RenderedRow[] | Summaries }> {
  const { projectId } = wanted;
  const matching = await matchingOf(ask, wanted);
  const total = await countMatching(ask, matching);
  // Behind a cursor nobody knows how many are left: one more tells whether there are any.
  const page = position ? { ...query, limit: query.limit + 1 } : query;
  const rows = await findPage(ask, matching, page, total, position);
  if (query.dataMode === 'full') {
    return { total, calls: await ask<RenderedRow>(renderFull(projectId, rows, MAX_FULL_BYTES)) };
  }
  const asked = (rendered: Sql) => plannedIfAlike(matching, query, rendered);
  if (position) return { total, calls: await ask<RenderedRow>(asked(renderEachSummary(projectId, rows))) };
  const [summaries] = await ask<Summaries>(asked(renderSummaries(projectId, rows)));
  return { total, calls: summaries! };
}

/** The times that stand in an id. */
function timesIn(id: string): Date[] {
  const texts = id.match(/(?<=:)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?=:)/g) ?? [];
  const isSound = id.isWellFormed() && !id.includes('\0');
  return isSound ? texts.map((text) => new Date(text)).filter((time) => !Number.isNaN(time.getTime())) : [];
}
