import { useQuery } from '@tanstack/react-query';
import { type Period, refreshOf } from '../../parts/period.js';
import { type Span, spanOf } from './spans.js';
import type { CallFilters, SumsSource } from './sums.js';

/** The calls that plots show. */
export interface Drawn {
  source: SumsSource;
  filters: CallFilters;
  period: Period;
}

interface Reading<Data> {
  /** Tells these plots from the others of the same calls in the cache. */
  name: string;
  read: (span: Span) => Promise<Data>;
  everyMs: number;
  /** Set to false if the service reads every call for the answer. */
  retry?: false;
}

/** Reads what plots show, and reads it again from time to time. The period must have begun. */
export function usePlots<Data>({ source, filters, period }: Drawn, { name, read, everyMs, ...options }: Reading<Data>) {
  return useQuery({
    queryKey: ['plots', name, source.name, filters, period],
    queryFn: () => read(spanOf(period)!),
    refetchInterval: refreshOf(period, everyMs),
    staleTime: everyMs,
    ...options,
  });
}
