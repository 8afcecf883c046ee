import type { ApiPath, SortOf } from '../api/path.js';
import { type Filters, useFilters } from './use-filters.js';

type Order = 'asc' | 'desc';

/** How a list can be sorted. */
export interface Sorts<By extends string> {
  /**
   * All members by which the API sorts the list, each with the order that a first press on its column chooses. The first
   * one sorts the list until the user chooses another.
   */
  orders: Readonly<Record<By, Order>>;
  /** The member of the address that has the order. Lists of one page have different ones. */
  name: string;
}

/** The order in which the API returns the rows. */
export interface Sorting<By extends string> {
  of: Sorts<By>;
  by: By;
  order: Order;
}

/** Says how a list of the administration can be sorted. A change of what the API sorts by breaks the compilation. */
export function sortsOf<Path extends ApiPath>(
  orders: Readonly<Record<SortOf<Path>, Order>>,
  name = 'sort',
): Sorts<SortOf<Path>> {
  return { orders, name };
}

/** Returns the text of an order in the address, such as `name.asc`. */
export function orderText(by: string, order: Order): string {
  return `${by}.${order}`;
}

/** Returns the order in the address. */
export function sortingIn<By extends string>(filters: Filters, of: Sorts<By>): Sorting<By> {
  const [name, order] = (filters[of.name] ?? '').split('.');
  const known = Object.keys(of.orders) as By[];
  const by = known.find((each) => each === name);
  if (by === undefined) return { of, by: known[0]!, order: of.orders[known[0]!] };
  return { of, by, order: order === 'asc' || order === 'desc' ? order : of.orders[by] };
}

export function useSorting<By extends string>(of: Sorts<By>): Sorting<By> {
  const [filters] = useFilters();
  return sortingIn(filters, of);
}

/** Returns the members of a query that say in which order the API sorts. */
export function sortedBy<By extends string>({ by: sort, order }: Sorting<By>): { sort: By; order: Order } {
  return { sort, order };
}
