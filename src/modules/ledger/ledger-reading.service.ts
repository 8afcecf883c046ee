import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { type Ask, Reads } from '../../platform/database/reads.js';
import { sql } from '../../platform/database/sql.js';
import { type CallsWanted, callsWanted } from './calls-wanted.js';
import { ledgerErrors } from './ledger.errors.js';
import { MAX_FULL_BYTES, type RenderedPage, renderPage, renderSummaryPage, type Summaries } from './ledger-page.js';
import type { CallQuery, LedgerQuery } from './ledger-query.schema.js';
import { type Position, readCursor } from './page-cursor.js';
import { findPage, isNear } from './page-finding.js';
import { countCalls } from './store.counts.js';
import { type Matching, matchingDims } from './store.matching.js';
import { pageOnTheWay } from './store.page.js';
import { renderEachSummary, renderFull, type RenderedRow, renderSummaries } from './store.rendering.js';

@Injectable()
export class LedgerReading {
  constructor(private readonly reads: Reads) {}

  async page(projectId: Id<'project'>, query: LedgerQuery): Promise<RenderedPage> {
    const wanted = callsWanted(projectId, query);
    if (isFirstPageOfAll(wanted, query)) return this.firstPage(wanted, query);
    const position = query.cursor === undefined ? undefined : readCursor(query.cursor, query);
    return this.reads.together((ask) => anyPage(ask, wanted, query, position));
  }

  /** One call as JSON, whatever its size. Its id has its time in it, so no index of ids is needed. */
  async call(projectId: Id<'project'>, id: string, { dataMode }: CallQuery): Promise<string> {
    const times = timesIn(id);
    if (times.length === 0) throw ledgerErrors.callNotFound();
    const row = sql`
      select * from ledger_row r where r.project_id = ${projectId} and r.ts = any(${times}::timestamptz[]) and r.id = ${id}`;
    const rendered =
      dataMode === 'full' ? renderFull(projectId, row, MAX_FULL_BYTES) : renderEachSummary(projectId, row);
    const [call] = await this.reads.one<RenderedRow>(rendered);
    if (!call) throw ledgerErrors.callNotFound();
    return `{"success":true,"statusCode":200,"generation":${call.text}}`;
  }

  /** What is asked for most, in one statement. */
  private async firstPage(wanted: CallsWanted, query: LedgerQuery): Promise<RenderedPage> {
    const matching = { ...wanted, dims: null };
    const [page] = await this.reads.one<Summaries & { total: number }>(sql`
      select (${countCalls(matching)})::float8 as total, page.*
      from (${renderSummaries(wanted.projectId, pageOnTheWay(matching, query))}) page`);
    return renderSummaryPage(query, page!.total, page!);
  }
}

function isFirstPageOfAll({ filter, sessionIds }: CallsWanted, query: LedgerQuery): boolean {
  const { sortBy, dataMode, offset, cursor } = query;
  const isPlain = sortBy === 'timestamp' && dataMode === 'summary' && isNear(offset) && cursor === undefined;
  return isPlain && filter === null && sessionIds === null;
}

/** First how many match; that decides how the rows are found. */
async function anyPage(
  ask: Ask,
  wanted: CallsWanted,
  query: LedgerQuery,
  position: Position | undefined,
): Promise<RenderedPage> {
  const { projectId } = wanted;
  const matching = await matchingOf(ask, wanted);
  const total = await countMatching(ask, matching);
  // Behind a cursor nobody knows how many are left: one more tells whether there are any.
  const page = position ? { ...query, limit: query.limit + 1 } : query;
  const rows = await findPage(ask, matching, page, total, position);
  if (query.dataMode === 'full') {
    return renderPage(query, total, await ask<RenderedRow>(renderFull(projectId, rows, MAX_FULL_BYTES)));
  }
  if (position) return renderPage(query, total, await ask<RenderedRow>(renderEachSummary(projectId, rows)));
  const [summaries] = await ask<Summaries>(renderSummaries(projectId, rows));
  return renderSummaryPage(query, total, summaries!);
}

/** Which combinations of filter values match, looked up once for all that is asked of them. */
export async function matchingOf(ask: Ask, wanted: CallsWanted): Promise<Matching> {
  if (!wanted.filter) return { ...wanted, dims: null };
  const query = matchingDims(wanted, wanted.filter);
  const found = await ask<{ dim: string }>(query);
  return { ...wanted, dims: { ids: found.map(({ dim }) => dim), query } };
}

export async function countMatching(ask: Ask, matching: Matching): Promise<number> {
  if (matching.dims?.ids.length === 0) return 0;
  const [counted] = await ask<{ total: number }>(sql`select (${countCalls(matching)})::float8 as total`);
  return counted!.total;
}

/** The times that stand in an id; names in it may look like one too. */
function timesIn(id: string): Date[] {
  const texts = id.match(/(?<=:)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?=:)/g) ?? [];
  const isSound = id.isWellFormed() && !id.includes('\0');
  return isSound ? texts.map((text) => new Date(text)).filter((time) => !Number.isNaN(time.getTime())) : [];
}
