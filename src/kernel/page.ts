/** Part of a list, and the cursor with which the next part begins. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export function mapPage<Row, View>({ items, nextCursor }: Page<Row>, view: (row: Row) => View): Page<View> {
  return { items: items.map(view), nextCursor };
}
