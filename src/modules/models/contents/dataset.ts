import { parseJson } from '../../../kernel/json.js';
import type { Entry } from './content.js';
import { ImportFault } from './import-fault.js';
import { countJsonElements } from './json-elements.js';
import { decoded, linesOf, LONGEST_RECORD } from './text-lines.js';

type Count = (bytes: AsyncIterable<Buffer>) => Promise<number>;

/** How each kind of file is read, record by record. Adding one is a line here. */
const COUNTS: Record<string, Count> = {
  json: (bytes) => countJsonElements(decoded(bytes)),
  jsonl: countJsonLines,
  csv: countRows,
  txt: countLines,
};

/** Companions of a dataset that hold none of it. */
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
    throw new ImportFault(
      'DATASET_INVALID',
      `${path}: A dataset has files with the extensions ${taken}, and no other.`,
    );
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
  for await (const line of linesOf(bytes)) {
    number += 1;
    if (line.trim() === '') continue;
    const value = parseJson(number === 1 ? line.replace(/^\ufeff/, '') : line);
    if (value === undefined) throw invalid(`Line ${number} is no JSON.`);
    records += 1;
  }
  return records;
}

async function countLines(bytes: AsyncIterable<Buffer>): Promise<number> {
  let records = 0;
  for await (const line of linesOf(bytes)) if (line.trim() !== '') records += 1;
  return records;
}

/** Rows under the header, as RFC 4180 has them; each as wide as the header. */
async function countRows(bytes: AsyncIterable<Buffer>): Promise<number> {
  let width: number | undefined;
  let rows = 0;
  let row = '';
  for await (const line of linesOf(bytes)) {
    row = row === '' ? line : `${row}\n${line}`;
    if (row.length > LONGEST_RECORD) throw invalid('A row has more than 16 MiB.');
    const cells = cellsIn(row);
    if (cells === 'open') continue;
    if (row !== '') {
      if (cells === 'broken') throw invalid(`Row ${rows + 1} has a quote where none may be.`);
      width ??= cells;
      if (cells !== width) throw invalid(`Row ${rows + 1} has ${cells} cells, and the header has ${width}.`);
      rows += 1;
    }
    row = '';
  }
  if (row !== '') throw invalid('The last row opens a quote that it does not close.');
  return Math.max(0, rows - 1);
}

const CELL = /"(?:[^"]|"")*"(?=,|$)|[^",]*(?=,|$)/y;

/** How many cells a row has; `open` while a quote is. */
function cellsIn(row: string): number | 'open' | 'broken' {
  const quotes = row.split('"').length - 1;
  if (quotes % 2 === 1) return 'open';
  for (let cells = 1, at = 0; ; cells += 1) {
    CELL.lastIndex = at;
    const cell = CELL.exec(row);
    if (!cell) return 'broken';
    at += cell[0].length;
    if (at >= row.length) return cells;
    at += 1;
    if (at === row.length) return cells + 1;
  }
}

function invalid(what: string): ImportFault {
  return new ImportFault('DATASET_INVALID', what);
}
