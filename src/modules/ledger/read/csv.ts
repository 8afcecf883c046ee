import { CallView } from '../call.schema.js';

const COLUMNS = Object.keys(CallView.shape).filter((name) => name !== 'payload');

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/**
 * A spreadsheet would run what begins like a formula; some fold full-width signs. One that parts by another separator
 * than the comma sees a begin behind each such separator, and behind each line: it takes quotes within a cell for text.
 */
const BEFORE_FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g;

/** A call's JSON as a line of RFC 4180. */
export function toCsvLine(call: string): string {
  const record = JSON.parse(call) as Record<string, unknown>;
  return `${COLUMNS.map((name) => toCell(record[name])).join(',')}\r\n`;
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = value.replace(BEFORE_FORMULA, "'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
