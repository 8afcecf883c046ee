/** What part of a list is asked for: so many, after the one with this id. */
export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

/** Part of a list, and the id to go on after. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** What was read for a page: one row more than it holds, where there is one, tells that another page follows. */
export function cutPage<Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

export function mapPage<Row, View>({ items, nextCursor }: Page<Row>, view: (row: Row) => View): Page<View> {
  return { items: items.map(view), nextCursor };
}
