import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListPage } from '../api/client.js';
import { queries } from '../api/queries.js';
import type { CurlRequest } from './copy-curl.js';
import { Empty } from './empty.js';
import { ErrorBox } from './error-box.js';
import { FRESH_MS, REFRESH_MS } from './refresh.js';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
}

/** The rows of a list, and the way to read them. */
export interface ListSource<Row> {
  /** Identifies the list and its filters. */
  of: readonly unknown[];
  read: (cursor: string | undefined) => Promise<ListPage<Row>>;
}

interface ListProps<Row> extends ListSource<Row> {
  /** Names the list for screen readers. */
  label: string;
  idOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  empty: { text: string; request?: CurlRequest };
  /** Is called with the row whose button the user pressed. */
  onOpen?: (row: Row) => void;
}

function listOptions<Row>({ of, read }: ListSource<Row>) {
  return infiniteQueryOptions({
    queryKey: of,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: FRESH_MS,
  });
}

/** Asks for the first page of a list that is about to be shown. */
export function askForList<Row>(source: ListSource<Row>): void {
  void queries.prefetchInfiniteQuery(listOptions(source));
}

/** A table whose further pages are loaded on request. It refreshes while the page is visible. */
export function List<Row>({ label, of, read, idOf, columns, empty, onOpen }: ListProps<Row>) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...listOptions({ of, read }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  if (isPending) return <Loader aria-label="Loading" />;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Stack>
      {error && <ErrorBox error={error} />}
      {rows.length === 0 && !error ? (
        <Empty {...empty} />
      ) : (
        <div className="list-window" tabIndex={0} aria-label={`${label}, scrollable`} role="region">
          <table className="list" aria-label={label}>
            <thead>
              <tr>
                {columns.map(({ title, isNumber }) => (
                  <th key={title} className={isNumber ? 'number' : undefined}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={idOf(row)}>
                  {columns.map(({ title, cell, isNumber }, at) => (
                    <td key={title} className={isNumber ? 'number' : 'cell'} dir="auto">
                      {at === 0 && onOpen ? (
                        <button type="button" className="link" onClick={() => onOpen(row)}>
                          {cell(row)}
                        </button>
                      ) : (
                        cell(row)
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Group>
        <Text size="sm">
          {rows.length} shown{hasNextPage ? ', and there are more' : ''}
        </Text>
        {hasNextPage && (
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </Group>
    </Stack>
  );
}
