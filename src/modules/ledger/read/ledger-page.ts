import { RenderedJson } from '../../../platform/transfer/rendered-json.js';
import type { RenderedCall, Summaries } from '../call.repository.js';
import { ledgerErrors } from '../ledger.errors.js';
import type { LedgerQuery } from './ledger-query.schema.js';
import { writeCursor } from './page-cursor.js';
import type { Position } from './page-path.js';

/** What an answer in full mode may have, to the last brace. */
export const MAX_FULL_BYTES = 1024 * 1024;

/** A page, and how to go on behind it. */
export interface RenderedPage {
  json: RenderedJson;
  nextCursor: string | undefined;
}

/** Calls that were rendered together. */
export function renderSummaryPage(query: LedgerQuery, total: number, { count, text, last }: Summaries): RenderedPage {
  return finish(query, total, text, last, query.offset + count < total);
}

/** Calls one by one, not more than were asked for; in full mode as many as fit. */
export function renderPage(query: LedgerQuery, total: number, rows: readonly RenderedCall[]): RenderedPage {
  const found = rows[0]?.found ?? 0;
  const hasMoreBehind = (count: number) => (query.cursor === undefined ? query.offset + count < total : count < found);
  const wanted = rows.slice(0, query.limit);
  const kept = query.dataMode === 'full' ? asManyAsFit(query, total, wanted, hasMoreBehind) : wanted;
  const calls = kept.map(({ text }) => text).join(',');
  return finish(query, total, calls, kept.at(-1) ?? null, hasMoreBehind(kept.length));
}

function asManyAsFit(
  query: LedgerQuery,
  total: number,
  rows: readonly RenderedCall[],
  hasMoreBehind: (count: number) => boolean,
): RenderedCall[] {
  const kept: RenderedCall[] = [];
  let bytes = 0;
  for (const row of rows) {
    const withThis = bytes + (kept.length > 0 ? 1 : 0) + Buffer.byteLength(row.text);
    const around = headOf(query, total, hasMoreBehind(kept.length + 1)).length + TAIL.length;
    if (row.isTooLarge || around + withThis > MAX_FULL_BYTES) break;
    kept.push(row);
    bytes = withThis;
  }
  const [first] = rows;
  if (first && kept.length === 0) throw tooLarge(query, first);
  return kept;
}

/** One that does not fit alone is refused by name, with the way around it. */
function tooLarge(query: LedgerQuery, call: RenderedCall) {
  const next = query.cursor === undefined ? `offset=${query.offset + 1}` : `cursor=${writeCursor(query, call)}`;
  return ledgerErrors.responseTooLarge({ id: call.id, next });
}

function finish(
  query: LedgerQuery,
  total: number,
  calls: string,
  last: Position | null,
  hasMore: boolean,
): RenderedPage {
  const nextCursor = hasMore && last ? writeCursor(query, last) : undefined;
  return { json: new RenderedJson(headOf(query, total, hasMore), calls, TAIL), nextCursor };
}

function headOf({ limit, offset, dataMode }: LedgerQuery, total: number, hasMore: boolean): string {
  const head = { success: true, statusCode: 200, total, limit, offset, dataMode, hasMore };
  return `${JSON.stringify(head).slice(0, -1)},"generations":[`;
}

const TAIL = ']}';
