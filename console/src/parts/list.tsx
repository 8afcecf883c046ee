import { Button, Group, Loader, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListPage } from '../api/client.js';
import type { CurlRequest } from './copy-curl.js';
import { Empty } from './empty.js';
import { ErrorBox } from './error-box.js';
import { REFRESH_MS } from './refresh.js';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
}

interface ListProps<Row> {
  /** Names the list for screen readers. */
  label: string;
  /** Identifies the list and its filters. */
  of: readonly unknown[];
  read: (cursor: string | undefined) => Promise<ListPage<Row>>;
  idOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  empty: { text: string; request?: CurlRequest };
  /** Is called with the row whose button the user pressed. */
  onOpen?: (row: Row) => void;
}

/** A table whose further pages are loaded on request. It refreshes while the page is visible. */
export function List<Row>({ label, of, read, idOf, columns, empty, onOpen }: ListProps<Row>) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: of,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
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
        <Table.ScrollContainer minWidth={700} tabIndex={0} aria-label={`${label}, scrollable`} role="region">
          <Table striped highlightOnHover aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ title, isNumber }) => (
                  <Table.Th key={title} ta={isNumber ? 'right' : 'left'}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={idOf(row)}>
                  {columns.map(({ title, cell, isNumber }, at) => (
                    <Table.Td
                      key={title}
                      ta={isNumber ? 'right' : 'left'}
                      className={isNumber ? 'number' : 'cell'}
                      dir="auto"
                    >
                      {at === 0 && onOpen ? (
                        <button type="button" className="link" onClick={() => onOpen(row)}>
                          {cell(row)}
                        </button>
                      ) : (
                        cell(row)
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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
