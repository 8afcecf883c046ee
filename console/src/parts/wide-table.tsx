import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface WideTableProps {
  /** Names the table for screen readers. */
  label: string;
  /** In a narrower window the table scrolls. */
  minWidth: number;
  children: ReactNode;
}

/** A table that scrolls inside itself, so that the page is never wider than its window. */
export function WideTable({ label, minWidth, children }: WideTableProps) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
    >
      <Table aria-label={label} striped>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}
