import type { ListPage } from './client.js';
import { presentSignal, withSignal } from './present-signal.js';

/** Reads all pages of a list that is short as a rule. */
export async function readAll<Row>(read: (cursor: string | undefined) => Promise<ListPage<Row>>): Promise<Row[]> {
  const signal = presentSignal();
  const readPage = (cursor: string | undefined) => withSignal(signal, () => read(cursor));
  const all: Row[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next } = await readPage(cursor);
    all.push(...rows);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}
