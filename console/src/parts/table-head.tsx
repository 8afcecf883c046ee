import { Table } from '@mantine/core';

interface TableHeadProps {
  titles: readonly string[];
  /** The titles of the last columns, which have numbers. */
  numbers?: readonly string[];
}

/** The head of a table whose columns need nothing but a title. */
export function TableHead({ titles, numbers = [] }: TableHeadProps) {
  return (
    <Table.Thead>
      <Table.Tr>
        {titles.map((title) => (
          <Table.Th key={title}>{title}</Table.Th>
        ))}
        {numbers.map((title) => (
          <Table.Th key={title} ta="right">
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
