import { Loader, NativeSelect, SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { ErrorBox } from '../parts/error-box.js';
import { formatCost, formatNumber } from '../parts/format.js';
import { lastHours } from '../parts/last-hours.js';
import Plot from '../parts/plot.js';
import { useFilters } from '../parts/use-filters.js';
import { LatencyPlots } from './overview-latency.js';
import { type Span, SPANS } from './overview-spans.js';
import { type Group, useSums } from './overview-sums.js';

const HOUR_MS = 3_600_000;

/** The calls that match the filters, day by day or hour by hour, as the address says. */
export default function Plots({ filters }: { filters: Record<string, string> }) {
  const [{ plots }, change] = useFilters();
  const chosen = plots === 'hours' ? 'hours' : 'days';
  const span = SPANS[chosen];
  return (
    <>
      <NativeSelect
        size="xs"
        w="max-content"
        label="Span of the plots"
        value={chosen}
        onChange={({ currentTarget }) => change({ plots: currentTarget.value })}
        data={Object.entries(SPANS).map(([value, { choice }]) => ({ value, label: choice }))}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} component="section" aria-label={span.name}>
        <SumPlots filters={filters} span={span} />
        <LatencyPlots filters={filters} span={span} />
      </SimpleGrid>
    </>
  );
}

function SumPlots({ filters, span }: { filters: Record<string, string>; span: Span }) {
  const groupBy = span.interval;
  const { data, error } = useSums(['plots', filters, groupBy], () => ({
    ...filters,
    ...lastHours(span.hours),
    groupBy,
  }));
  const curves = useMemo(() => data && curvesOf(data.all.groups, data.failed.groups, span), [data, span]);
  if (error) return <ErrorBox error={error} />;
  if (!curves) return <Loader aria-label="Loading" />;
  const { times, calls, tokens, cost } = curves;
  const common = { times, last: span.last };
  return (
    <>
      <Plot title="Calls, and failed calls (dashed)" curves={calls} format={formatNumber} {...common} />
      <Plot title="Tokens" curves={tokens} format={formatNumber} {...common} />
      <Plot title="Cost" curves={cost} format={formatCost} {...common} />
    </>
  );
}

/** The API leaves out days and hours without calls. */
function curvesOf(all: readonly Group[], failed: readonly Group[], { hours, stepMs, keyOf }: Span) {
  const steps = (hours * HOUR_MS) / stepMs;
  const keys = Array.from({ length: steps + 1 }, (_, at) => keyOf(Date.now() - (steps - at) * stepMs));
  const values = (groups: readonly Group[], valueOf: (group: Group) => number) => {
    const byKey = new Map(groups.map((group) => [group.key, valueOf(group)]));
    return keys.map((key) => byKey.get(key) ?? 0);
  };
  return {
    times: keys.map((key) => Date.parse(key) / 1_000),
    calls: [
      { label: 'calls', values: values(all, (group) => group.calls) },
      { label: 'failed', values: values(failed, (group) => group.calls), style: 'fault' as const },
    ],
    tokens: [{ label: 'tokens', values: values(all, ({ totalTokens }) => totalTokens) }],
    cost: [{ label: 'cost', values: values(all, (group) => group.cost) }],
  };
}
