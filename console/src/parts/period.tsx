import { NativeSelect } from '@mantine/core';
import { lastHours } from './last-hours.js';
import { type Filters, useFilters } from './use-filters.js';

const PERIODS = { '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' };
const HOURS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** Returns the period in the address, by default the last day. It ends now, so it is made again for each request. */
export function periodOf({ period: given = '24h' }: Filters) {
  const period = Object.hasOwn(HOURS, given) ? (given as keyof typeof HOURS) : '24h';
  const range = () => lastHours(HOURS[period]);
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
