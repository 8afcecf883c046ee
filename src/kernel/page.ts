/** The part of a list that is asked for: `limit` items from the cursor on. */
export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

/** Part of a list, and the cursor with which the next part begins. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Makes a page of the rows that were read. One row more than the limit shows that another page follows. */
export function cutPage<Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

export function mapPage<Row, View>({ items, nextCursor }: Page<Row>, view: (row: Row) => View): Page<View> {
  return { items: items.map(view), nextCursor };
}
