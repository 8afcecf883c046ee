import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';

/** Lays out the plots of a period. */
export function PlotGrid({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} component="section" aria-label="Calls over time">
      {children}
    </SimpleGrid>
  );
}
