import { type EntityName, type EntityRepository, type FilterQuery, Utils, wrap } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { once } from '../../kernel/once.js';
import type { Page } from '../../kernel/page.js';
import { wholeNumber } from '../../kernel/schema.js';
import { validationError } from '../route/validation.js';
import { fingerprintOf, readCursor, writeCursor } from './list-cursor.js';
import type { Key, ListRange, Order } from './list-range.js';
import { type Position, Sorting } from './sorting.js';

/** The schemas of filters, by the names that clients use. */
type FilterSchemas = Readonly<Record<string, z.ZodType>>;

/** A filter with another condition than that the property of the same name has the value. */
interface Filter<Row, Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  where(value: z.output<Schema>): FilterQuery<Row>;
}

/** How a list can be sorted and filtered. A row without `id` has another key. */
export type ListOptions<Row, Schemas extends FilterSchemas> = OptionsOf<Row, Schemas> &
  (Row extends { readonly id: Key } ? { key?: KeyName<Row> } : { key: KeyName<Row> });

/** The property by which rows are read, if that is not `id`. Its values have the order in which rows were made. */
type KeyName<Row> = keyof Row & string;

interface OptionsOf<Row, Schemas extends FilterSchemas> {
  /**
   * The names by which clients sort, with the properties that have the values. The first is the default. Ids have the
   * order in which rows were made.
   */
  sorts: Readonly<Record<string, keyof Row & string>>;
  /** The order where a client asks for none. The default is `asc`. */
  order?: Order;
  /** The filters by their names: the schema of the property of the same name, or a schema and its condition. */
  filters?: { readonly [Name in keyof Schemas]: Schemas[Name] | Filter<Row, Schemas[Name]> };
  /** The relations that are read with the rows. */
  populate?: readonly string[];
  /** The size of a page where a client asks for none, and the largest. */
  limits?: { default: number; max: number };
}

/** The part of a list that is asked for. */
export type ListRequest<Schemas extends FilterSchemas> = {
  cursor?: string | undefined;
  limit: number;
  sort: string;
  order: Order;
} & { [Name in keyof Schemas]?: z.output<Schemas[Name]> | undefined };

/** The part of this list that is asked for. */
export type RequestOf<Some extends { page: (...given: never[]) => unknown }> = Parameters<Some['page']>[2];

const cursor = z.string().optional().describe('The `nextCursor` of the previous page.');
const order = z.enum(['asc', 'desc']).describe('`desc` begins with the newest or largest, and with missing values.');

/** A list with its query: pages, sorting and filters are the same in every list. */
export class List<Row extends object, Schemas extends FilterSchemas> {
  /** The query of a route that answers with the list. */
  readonly query;
  private readonly order: Order;
  private readonly sorts: [string, ...string[]];
  private readonly filters: [name: string, filter: z.ZodType | Filter<Row>][];

  constructor(
    private readonly entity: EntityName<Row>,
    private readonly options: OptionsOf<Row, Schemas>,
    private readonly sortings: () => Sortings,
  ) {
    this.order = options.order ?? 'asc';
    this.sorts = Object.keys(options.sorts) as [string, ...string[]];
    this.filters = Object.entries(options.filters ?? {});
    this.query = this.queryWith({});
  }

  /** Returns the query of a route that has more members, which neither sort nor filter. */
  queryWith<More extends z.ZodRawShape>(more: More) {
    const sort = z.enum(this.sorts).prefault(this.sorts[0]);
    const { limits = { default: 20, max: 100 } } = this.options;
    const limit = wholeNumber(1, limits.max).prefault(limits.default);
    return z.strictObject({ cursor, limit, sort, order: order.prefault(this.order), ...this.filterShape(), ...more });
  }

  /** Reads a page of the rows that meet the condition `within`. */
  async page(
    repository: EntityRepository<Row>,
    within: FilterQuery<NoInfer<Row>>,
    request: ListRequest<Schemas>,
  ): Promise<Page<Row>> {
    // The ORM changes nested conditions while it reads, so a cursor is made for what they were before.
    const owners = ownersIn(within);
    const position = this.positionOf(owners, request);
    const { populate = [] } = this.options;
    const sorting = this.sortingOf(request);
    const after = position ? [sorting.after(position, request.order)] : [];
    // The ORM's types cannot express a row of which only the key is known.
    const where = { $and: [within, ...this.conditions(request), ...after] } as never;
    const options = { populate, orderBy: sorting.orderBy(request.order), limit: request.limit + 1 } as never;
    return this.cut(await repository.find(where, options), owners, request);
  }

  /**
   * Makes a page of rows that a statement reads. The statement must meet the filters. The list must be sorted by its key or by
   * numbers and times, all of which have a value, and the times must be whole milliseconds, as those of `clock` are.
   */
  async pageOfRows<Read extends object>(
    within: object,
    request: ListRequest<Schemas>,
    read: (range: ListRange) => Promise<Read[]>,
  ): Promise<Page<Read>> {
    const owners = ownersIn(within);
    const position = this.positionOf(owners, request);
    const rows = await read(this.sortingOf(request).range(position, request.order, request.limit + 1));
    return this.cut(rows, owners, request);
  }

  /** One row more than the limit shows that another page follows. */
  private cut<Read extends object>(rows: Read[], owners: Owners, request: ListRequest<Schemas>): Page<Read> {
    const items = rows.slice(0, request.limit);
    const last = rows.length > items.length ? items.at(-1)! : null;
    const position = last && this.sortingOf(request).positionOf(last);
    return { items, nextCursor: position && writeCursor(this.fingerprint(owners, request), position) };
  }

  private filterShape() {
    const optional = this.filters.map(([name, filter]) => [name, schemaOf(filter).optional()]);
    return Object.fromEntries(optional) as { [Name in keyof Schemas]: z.ZodOptional<Schemas[Name]> };
  }

  private conditions(request: ListRequest<Schemas>): object[] {
    return this.filters.flatMap(([name, filter]) => {
      const value = (request as Record<string, unknown>)[name];
      if (value === undefined) return [];
      return [filter instanceof z.ZodType ? { [name]: value } : filter.where(value)];
    });
  }

  /** Refuses a cursor of another list, such as that of another project. */
  private positionOf(owners: Owners, request: ListRequest<Schemas>): Position | null {
    if (request.cursor === undefined) return null;
    const position = readCursor(request.cursor, this.fingerprint(owners, request), this.sortingOf(request).schemas);
    if ('fault' in position) throw validationError([{ path: ['cursor'], message: position.fault }]);
    return position;
  }

  private sortingOf({ sort }: ListRequest<Schemas>): Sorting {
    return this.sortings().get(sort)!;
  }

  private fingerprint(owners: Owners, request: ListRequest<Schemas>): string {
    const filters = this.filters.map(([name]) => (request as Record<string, unknown>)[name] ?? null);
    return fingerprintOf(this.entity.name, owners, request.sort, request.order, filters);
  }
}

type Owners = [name: string, key: Key][];

/** The rows to which the list belongs. Operators are left out, because a time differs with each request. */
function ownersIn(within: object): Owners {
  return Object.entries(within).flatMap(([name, value]: [string, unknown]) => {
    if (name.startsWith('$')) return [];
    if (Utils.isEntity<object>(value, true)) return [[name, String(wrap(value, true).getPrimaryKey())]];
    if (typeof value === 'object') return value === null ? [] : ownersIn(value);
    return [[name, value as Key]];
  });
}

function schemaOf(filter: z.ZodType | { schema: z.ZodType }): z.ZodType {
  return filter instanceof z.ZodType ? filter : filter.schema;
}

type Sortings = ReadonlyMap<string, Sorting>;

/** Those of all lists. They are made when all entities are loaded, since an entity can be loaded after its list. */
const sortingsOfAll: (() => Sortings)[] = [];

/** Defines a list of an entity, by which the query of its routes and the pages are made. */
export function defineList<Row extends object, const Schemas extends FilterSchemas = Record<never, never>>(
  entity: EntityName<Row>,
  options: ListOptions<NoInfer<Row>, Schemas>,
): List<Row, Schemas> {
  const sortings = once(() => sortingsOf(entity, options));
  sortingsOfAll.push(sortings);
  return new List(entity, options, sortings);
}

/** Throws if a list is sorted by a property that cannot be compared. */
export function refuseWrongSorts(): void {
  for (const sortings of sortingsOfAll) sortings();
}

function sortingsOf(
  entity: EntityName,
  { sorts, key = 'id' }: { sorts: Readonly<Record<string, string>>; key?: string },
): Sortings {
  return new Map(Object.entries(sorts).map(([name, property]) => [name, new Sorting(entity, property, key)]));
}
