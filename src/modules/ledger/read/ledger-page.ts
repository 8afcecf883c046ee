import { RenderedJson } from '../../../platform/transfer/rendered-json.js';
import type { RenderedCall, Summaries } from '../call.repository.js';
import { ledgerErrors } from '../ledger.errors.js';
import type { LedgerQuery } from './ledger-query.schema.js';
import { writeCursor } from './page-cursor.js';
import type { Position } from './page-plan.js';

/** The largest answer in full mode, with its outer members. */
export const MAX_FULL_BYTES = 1024 * 1024;

/** A page, and the cursor of the next one. */
export interface RenderedPage {
  json: RenderedJson;
  nextCursor: string | undefined;
}

/** Builds the answer from calls that were rendered as one text. */
export function renderSummaryPage(query: LedgerQuery, total: number, { count, text, last }: Summaries): RenderedPage {
  return finish(query, total, text, last, query.offset + count < total);
}

/** Builds the answer from calls that were rendered separately: at most the limit, and in full mode as many as fit. */
export function renderPage(query: LedgerQuery, total: number, rows: readonly RenderedCall[]): RenderedPage {
  const found = rows[0]?.found ?? 0;
  const hasMoreAfter = (count: number) => (query.cursor === undefined ? query.offset + count < total : count < found);
  const wanted = rows.slice(0, query.limit);
  const kept = query.dataMode === 'full' ? thoseThatFit(query, total, wanted, hasMoreAfter) : wanted;
  const calls = kept.map(({ text }) => text).join(',');
  return finish(query, total, calls, kept.at(-1) ?? null, hasMoreAfter(kept.length));
}

function thoseThatFit(
  query: LedgerQuery,
  total: number,
  rows: readonly RenderedCall[],
  hasMoreAfter: (count: number) => boolean,
): RenderedCall[] {
  const kept: RenderedCall[] = [];
  let bytes = 0;
  for (const row of rows) {
    const withThis = bytes + (kept.length > 0 ? 1 : 0) + Buffer.byteLength(row.text);
    const around = headOf(query, total, hasMoreAfter(kept.length + 1)).length + TAIL.length;
    if (row.isTooLarge || around + withThis > MAX_FULL_BYTES) break;
    kept.push(row);
    bytes = withThis;
  }
  const [first] = rows;
  if (first && kept.length === 0) throw tooLarge(query, first);
  return kept;
}

/** The error for a call that does not fit on its own. It names the call and how to read past it. */
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
