import './list.css';
import { Loader, Stack } from '@mantine/core';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import {
  type Column_RowSorting,
  type ColumnDef,
  functionalUpdate,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import type { ListPage } from '../api/client.js';
import { queries, refreshWhileFailing } from '../api/queries.js';
import type { CurlRequest } from './copy-curl.js';
import { Empty } from './empty.js';
import { ErrorBox } from './error-box.js';
import { ShortText } from './foreign-text.js';
import { formatNumber } from './format.js';
import { Further } from './further.js';
import { FRESH_MS, REFRESH_MS } from '../api/refresh.js';
import { orderText, type Sorting, type Sorts } from './sorting.js';
import { useFilters } from './use-filters.js';
import { withVisibleMarks } from './visible-marks.js';

/** How a column shows its values. A text may take two lines, and of an id, only the end is seen if there is no room. */
type Kind = 'cell' | 'number' | 'time' | 'id';

interface Column<Row, By extends string> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The default is a text. */
  kind?: Kind;
  /** The name by which the API sorts the rows by this column. */
  sortBy?: By;
}

/** The rows of a list, and the way to read them. */
export interface ListSource<Row, By extends string = never> {
  /** Identifies the list and its filters. */
  of: readonly unknown[];
  read: (cursor: string | undefined) => Promise<ListPage<Row>>;
  /** Whether no rows are added any more, so that the list need not refresh. */
  isOver?: boolean;
  /** The order in which they are read, if the API sorts by some of the columns. */
  sorting?: Sorting<By>;
}

interface TableProps<Row, By extends string> {
  /** Names the list for screen readers. */
  label: string;
  idOf: (row: Row) => string;
  columns: readonly Column<Row, NoInfer<By>>[];
  /** Is called with the row whose button the user pressed. */
  onOpen?: (row: Row) => void;
  /** The id of the row that is opened beside the list. */
  opened?: string | undefined;
}

interface ListProps<Row, By extends string> extends ListSource<Row, By>, TableProps<Row, By> {
  /** Says what to do while there are no rows at all. */
  empty: { text: string; request?: CurlRequest };
  /** The filters that may hide rows. With them, an empty list does not mean that there is nothing. */
  chosen?: object;
}

const NOTHING_MATCHES = { text: 'Nothing matches the filters.' };
const features = tableFeatures({ rowSortingFeature });

/** Rows in another order are another answer, whose cursors count only for that order. */
function listOptions<Row, By extends string>({ of, read, sorting }: ListSource<Row, By>) {
  return infiniteQueryOptions({
    queryKey: sorting ? [...of, sorting.by, sorting.order] : of,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: FRESH_MS,
  });
}

/** Asks for the first page of a list that is about to be shown. */
export function askForList<Row, By extends string>(source: ListSource<Row, By>): void {
  void queries.prefetchInfiniteQuery(listOptions(source));
}

/** Whether a list shows more than its newest rows. Reading all its pages again would cost a request for each. */
function isLong({ state }: { state: { data?: { pages: unknown[] } | undefined } }): boolean {
  return (state.data?.pages.length ?? 0) > 1;
}

/**
 * A table whose further pages are loaded on request. While it shows its first page alone it refreshes. Afterwards it
 * holds still, until the user asks for the newest rows.
 */
export function List<Row extends object, By extends string = never>({
  of,
  read,
  isOver,
  sorting,
  empty,
  chosen = {},
  ...table
}: ListProps<Row, By>) {
  const options = listOptions({ of, read, sorting });
  const { data, error, isPending, isPlaceholderData, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      ...options,
      placeholderData: keepPreviousData,
      refetchInterval: isOver ? refreshWhileFailing : (query) => (isLong(query) ? false : REFRESH_MS),
      refetchOnWindowFocus: (query) => !isLong(query),
    });
  const client = useQueryClient();
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  // The rows of the filters before stay until those of the present ones arrive. If there are none, that says nothing.
  if (isPending || (isPlaceholderData && rows.length === 0)) return <Loader />;
  const startOver =
    data && data.pages.length > 1 ? () => client.resetQueries({ queryKey: options.queryKey, exact: true }) : undefined;
  return (
    <Stack>
      {error && <ErrorBox error={error} />}
      {rows.length === 0 && !error ? (
        <Empty {...(Object.keys(chosen).length > 0 ? NOTHING_MATCHES : empty)} />
      ) : (
        <Rows {...table} sorting={sorting} rows={rows} isBusy={isPlaceholderData} />
      )}
      {(rows.length > 0 || hasNextPage || startOver) && (
        <Further
          text={shownOf(rows.length, data?.pages.at(-1)?.total, hasNextPage)}
          onStartOver={startOver}
          hasMore={hasNextPage}
          isReading={isFetchingNextPage}
          onRead={fetchNextPage}
        />
      )}
    </Stack>
  );
}

function shownOf(shown: number, total: number | undefined, hasMore: boolean): string {
  if (!hasMore) return `${formatNumber(shown)} shown`;
  if (total === undefined) return `${formatNumber(shown)} shown, and there are more`;
  return `${formatNumber(shown)} of ${formatNumber(total)} shown`;
}

interface RowsProps<Row, By extends string> extends TableProps<Row, By> {
  sorting: Sorting<By> | undefined;
  rows: readonly Row[];
  /** Whether the rows are about to be replaced. */
  isBusy: boolean;
}

function Rows<Row extends object, By extends string>({
  label,
  rows,
  isBusy,
  idOf,
  columns,
  onOpen,
  opened,
  sorting,
}: RowsProps<Row, By>) {
  const [, change] = useFilters();
  const state = { sorting: sorting ? [{ id: sorting.by as string, desc: sorting.order === 'desc' }] : [] };
  const table = useTable({
    features,
    data: rows,
    columns: columns.map((column) => definitionOf(column, sorting?.of)),
    getRowId: idOf,
    state,
    // The API sorts, because most rows are not in the browser.
    manualSorting: true,
    enableMultiSort: false,
    onSortingChange: (updater) => {
      const [next] = functionalUpdate(updater, state.sorting);
      if (sorting) change({ [sorting.of.name]: next && orderText(next.id, next.desc ? 'desc' : 'asc') });
    },
  });
  return (
    <div className="list-window" tabIndex={0} aria-label={`${label}, scrollable`} role="region">
      <table className="list" aria-label={label} aria-busy={isBusy}>
        <thead>
          <tr>
            {table.getAllLeafColumns().map((column, at) => (
              <Head key={column.id} title={columns[at]!.title} kind={columns[at]!.kind} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {/* The cells of the library take forty times as long as those of the columns. */}
          {table.getRowModel().rows.map(({ id, original: row }) => (
            <tr key={id} aria-current={id === opened ? true : undefined}>
              {columns.map(({ title, cell, kind = 'cell' }, at) => {
                const shown = cell(row);
                const isId = kind === 'id';
                const whole = isId && typeof shown === 'string' ? shown : undefined;
                const content = contentOf(shown, kind);
                return (
                  <td key={title} className={kind} dir={isId ? undefined : 'auto'} title={whole}>
                    {at === 0 && onOpen ? (
                      <button type="button" className="link" onClick={() => onOpen(row)}>
                        {content}
                      </button>
                    ) : (
                      content
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cell of an id runs from right to left, so that it cuts off the beginning of a long one. */
function contentOf(shown: ReactNode, kind: Kind): ReactNode {
  if (kind === 'id') return <bdi dir="ltr">{typeof shown === 'string' ? withVisibleMarks(shown) : shown}</bdi>;
  return kind === 'cell' && typeof shown === 'string' ? <ShortText>{shown}</ShortText> : shown;
}

/** The library sorts only by columns that have a value, so what a cell shows is its value. */
function definitionOf<Row extends object, By extends string>(
  { title, cell, sortBy }: Column<Row, By>,
  sorts: Sorts<By> | undefined,
): ColumnDef<typeof features, Row> {
  return {
    id: sortBy ?? title,
    header: title,
    accessorFn: cell,
    enableSorting: sortBy !== undefined,
    sortDescFirst: sortBy !== undefined && sorts?.orders[sortBy] === 'desc',
  };
}

interface HeadProps {
  title: string;
  kind: Kind | undefined;
  column: Pick<Column_RowSorting<typeof features, object>, 'getCanSort' | 'getIsSorted' | 'getToggleSortingHandler'>;
}

/** The title of a column. If the API sorts by it, a press sorts, another turns the order, and the third ends it. */
function Head({ title, kind, column }: HeadProps) {
  const sorted = column.getIsSorted();
  const order = sorted === 'asc' ? 'ascending' : 'descending';
  return (
    <th className={kind} aria-sort={sorted ? order : undefined}>
      {column.getCanSort() ? (
        <button type="button" className="link" onClick={column.getToggleSortingHandler()}>
          {title}
          {sorted && <span aria-hidden="true">{sorted === 'asc' ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : (
        title
      )}
    </th>
  );
}
