import { parseJson } from '../../../kernel/json.js';
import type { Entry } from './content.js';
import { ImportFault } from './import-fault.js';
import { countJsonElements } from './json-elements.js';
import { decoded, LONGEST_RECORD, textLinesOf } from './text-lines.js';

type Count = (bytes: AsyncIterable<Buffer>) => Promise<number>;

/** Functions that count the records of a file by its extension. To read another kind of file, add a line. */
const COUNTS: Record<string, Count> = {
  json: (bytes) => countJsonElements(decoded(bytes)),
  jsonl: countJsonLines,
  csv: countRows,
  txt: countLines,
};

/** Files that accompany a dataset and have none of its records. */
const COMPANIONS = /(^|\/)(readme|license|licence|notice|\.gitattributes|dataset_infos?)[^/]*$/i;

export function isDatasetFile(path: string): boolean {
  return !COMPANIONS.test(path);
}

/** Parses one file of a dataset and counts its records. */
export async function countRecords({ path, bytes }: Entry): Promise<number> {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const count = COUNTS[extension];
  if (!count) {
    const taken = Object.keys(COUNTS).join(', ');
    throw new ImportFault('DATASET_INVALID', `${path}: A dataset has only files with the extensions ${taken}.`);
  }
  try {
    return await count(bytes);
  } catch (error) {
    throw error instanceof ImportFault ? error.in(path) : error;
  }
}

async function countJsonLines(bytes: AsyncIterable<Buffer>): Promise<number> {
  let number = 0;
  let records = 0;
  for await (const line of textLinesOf(bytes)) {
    number += 1;
    if (line.trim() === '') continue;
    const value = parseJson(number === 1 ? line.replace(/^\ufeff/, '') : line);
    if (value === undefined) throw invalid(`Line ${number} is not JSON.`);
    records += 1;
  }
  return records;
}

async function countLines(bytes: AsyncIterable<Buffer>): Promise<number> {
  let records = 0;
  for await (const line of textLinesOf(bytes)) if (line.trim() !== '') records += 1;
  return records;
}

/** Counts the rows below the header of a CSV file (RFC 4180). Each row has as many cells as the header. */
async function countRows(bytes: AsyncIterable<Buffer>): Promise<number> {
  let width: number | undefined;
  let rows = 0;
  const row = new OpenRow();
  for await (const line of textLinesOf(bytes)) {
    row.add(line);
    if (row.isOpen) continue;
    const text = row.take();
    if (text === '') continue;
    const cells = cellsIn(text);
    if (cells === 'broken') throw invalid(`Row ${rows + 1} has a quote in a place where quotes are not allowed.`);
    width ??= cells;
    if (cells !== width) throw invalid(`Row ${rows + 1} has ${cells} cells, and the header has ${width}.`);
    rows += 1;
  }
  if (row.isOpen) throw invalid('The last row opens a quote and does not close it.');
  return Math.max(0, rows - 1);
}

const LINES_AT_A_TIME = 1_024;

/**
 * Collects the lines of a row whose quoted cells may have line breaks. It reads each line only once, so that a cell of
 * many lines does not take quadratic time.
 */
class OpenRow {
  isOpen = false;
  private length = 0;
  private text = '';
  private lines: string[] = [];

  add(line: string): void {
    this.length += line.length + 1;
    if (this.length > LONGEST_RECORD) throw invalid('A row has more than 16 MiB.');
    if (hasOddQuotes(line)) this.isOpen = !this.isOpen;
    this.lines.push(line);
    if (this.lines.length < LINES_AT_A_TIME) return;
    this.text += `${this.lines.join('\n')}\n`;
    this.lines = [];
  }

  take(): string {
    const text = this.text + this.lines.join('\n');
    this.text = '';
    this.lines = [];
    this.length = 0;
    return text;
  }
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** Counts the cells of a row in which all quotes are closed. */
function cellsIn(row: string): number | 'broken' {
  let quote = row.indexOf('"');
  for (let cells = 1, at = 0; ; cells += 1) {
    const end = quote === at ? endOfQuoted(row, at) : endOfPlain(row, at);
    const isBroken = end < row.length && row[end] !== ',';
    if (isBroken || (quote > at && quote < end)) return 'broken';
    if (end >= row.length) return cells;
    at = end + 1;
    if (quote >= 0 && quote < at) quote = row.indexOf('"', at);
  }
}

function endOfPlain(row: string, at: number): number {
  const comma = row.indexOf(',', at);
  return comma < 0 ? row.length : comma;
}

/** Returns the position after the closing quote. Two quotes in a row are one quote of the text. */
function endOfQuoted(row: string, at: number): number {
  let close = row.indexOf('"', at + 1);
  while (row[close + 1] === '"') close = row.indexOf('"', close + 2);
  return close + 1;
}

function invalid(what: string): ImportFault {
  return new ImportFault('DATASET_INVALID', what);
}
