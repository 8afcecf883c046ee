/** A page of a list that is read with a cursor: the id to go on after. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Cuts a page out of rows that were asked for with one more than `limit`. */
export function toPage<Row extends { id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

export function mapPage<Row, View>({ items, nextCursor }: Page<Row>, view: (row: Row) => View): Page<View> {
  return { items: items.map(view), nextCursor };
}
