import { CallView } from '../call.schema.js';

const COLUMNS = Object.keys(CallView.shape).filter((name) => name !== 'payload');

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/**
 * Matches where an apostrophe has to be inserted against CSV injection: a spreadsheet runs a cell that begins like a
 * formula. Some programs accept full-width signs as well. A program that splits cells at semicolons, tabs or line ends
 * begins a cell after each of them, because it does not understand quotation marks within a cell.
 */
const BEFORE_FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g;

/** Converts the JSON of a call to a line of CSV (RFC 4180). */
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
