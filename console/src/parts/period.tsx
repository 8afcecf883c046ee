import { NativeSelect } from '@mantine/core';
import { lastHours } from './last-hours.js';
import { type Filters, useFilters } from './use-filters.js';

const PERIODS = { '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' };
const HOURS: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** Returns the period in the address, by default the last day. It ends now, so it is made again for each request. */
export function periodOf({ period = '24h' }: Filters) {
  const hours = HOURS[period] ?? 24;
  const range = () => lastHours(hours);
  return { period, range };
}

export function usePeriod() {
  const [filters] = useFilters();
  return periodOf(filters);
}

export function PeriodChoice() {
  const [, change] = useFilters();
  const { period } = usePeriod();
  return (
    <NativeSelect
      size="xs"
      label="Period"
      value={period}
      onChange={({ currentTarget }) => change({ period: currentTarget.value })}
      data={Object.entries(PERIODS).map(([value, label]) => ({ value, label }))}
    />
  );
}
