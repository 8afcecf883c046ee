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

export function mapPage<Row, View>({ items, nextCursor }: Page<Row>, view: (row: Row) => View): Page<View> {
  return { items: items.map(view), nextCursor };
}
