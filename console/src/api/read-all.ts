import type { ListPage } from './client.js';

/** Reads all pages of a list that is short as a rule. */
export async function readAll<Row>(read: (cursor: string | undefined) => Promise<ListPage<Row>>): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next } = await read(cursor);
    all.push(...rows);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}
