import { CallView } from './call.schema.js';

const COLUMNS = Object.keys(CallView.shape).filter((name) => name !== 'payload');

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/** A call's JSON as a line of RFC 4180. */
export function toCsvLine(call: string): string {
  const record = JSON.parse(call) as Record<string, unknown>;
  return `${COLUMNS.map((name) => toCell(record[name])).join(',')}\r\n`;
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  // A spreadsheet would run what begins like a formula; some fold full-width signs.
  const text = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
