import type { ListPage } from './client.js';
import { presentSignal, withSignal } from './present-signal.js';

type ReadPage<Row> = (cursor: string | undefined) => Promise<ListPage<Row>>;

/** Reads all pages of a list that is short as a rule. */
export async function readAll<Row>(read: ReadPage<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const rows of pagesOf(read)) all.push(...rows);
  return all;
}

/** Reads pages until one has the wanted row. Returns null if none has it. */
export async function readUntil<Row>(read: ReadPage<Row>, isWanted: (row: Row) => boolean): Promise<Row | null> {
  for await (const rows of pagesOf(read)) {
    const wanted = rows.find(isWanted);
    if (wanted !== undefined) return wanted;
  }
  return null;
}

/** The requests after the first are cancelled with the same query. */
async function* pagesOf<Row>(read: ReadPage<Row>, signal = presentSignal()): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const { rows, next } = await withSignal(signal, () => read(cursor));
    yield rows;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
