interface AdminPage<Row> {
  data: Row[];
  meta: { nextCursor: string | null };
}

interface Counted {
  total: number;
}

/** Yields the rows of a list of the administration, page after page. */
export async function* rowsOf<Row>(
  read: (cursor?: string) => Promise<{ data?: AdminPage<Row> }>,
): AsyncGenerator<Row, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, meta } = (await read(cursor)).data!;
    yield* data;
    cursor = meta.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Yields the rows of a list whose pages begin at an offset. */
export async function* countedRowsOf<Page extends Counted, Row>(
  read: (offset: number) => Promise<{ data?: Page }>,
  rowsIn: (page: Page) => Row[],
): AsyncGenerator<Row, void, undefined> {
  for (let offset = 0; ;) {
    const page = (await read(offset)).data!;
    const rows = rowsIn(page);
    yield* rows;
    offset += rows.length;
    if (rows.length === 0 || offset >= page.total) return;
  }
}
