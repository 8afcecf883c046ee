import { Loader, NativeSelect, SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { ErrorBox } from '../../parts/error-box.js';
import { formatCost, formatNumber } from '../../parts/format.js';
import { type Period, type Range, rangeOf } from '../../parts/period.js';
import Plot from '../../parts/plot.js';
import { useFilters } from '../../parts/use-filters.js';
import { LatencyPlots } from './latency.js';
import { type Span, spanOf, SPANS } from './spans.js';
import { ALL_PROJECTS, type Group, type SumsSource, useSums } from './sums.js';

interface PlotsProps {
  source: SumsSource;
  filters: Record<string, string>;
  period: Period;
}

/** The calls that match the filters, day by day or hour by hour. A period that ends now leaves the span to the user. */
export default function Plots({ source, filters, period }: PlotsProps) {
  const of = { source, filters };
  return 'hours' in period ? <PresentPlots {...of} /> : <RangePlots {...of} {...period} />;
}

type What = Pick<PlotsProps, 'source' | 'filters'>;

function RangePlots({ fromDate, toDate, ...of }: Range & What) {
  const span = useMemo(() => spanOf({ fromDate, toDate }), [fromDate, toDate]);
  return <PlotsOf {...of} span={span} />;
}

/** The plots end now, and the address says how long ago they begin. */
function PresentPlots(of: What) {
  const [{ plots }, change] = useFilters();
  const chosen = plots === 'hours' ? 'hours' : 'days';
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
      <PlotsOf {...of} span={SPANS[chosen]} />
    </>
  );
}

interface PlotsOfProps extends What {
  span: Span;
}

/** Percentiles are computed from every call, so there are none of all projects. */
function PlotsOf({ source, filters, span }: PlotsOfProps) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} component="section" aria-label={span.name}>
      <SumPlots source={source} filters={filters} span={span} />
      {source !== ALL_PROJECTS && <LatencyPlots filters={filters} span={span} />}
    </SimpleGrid>
  );
}

function SumPlots({ source, filters, span }: PlotsOfProps) {
  const { interval: groupBy, period } = span;
  const { data, error } = useSums(source, ['plots', filters, groupBy, period], () => ({
    ...filters,
    ...rangeOf(period),
    groupBy,
  }));
  const curves = useMemo(() => data && curvesOf(data.all.groups, data.failed.groups, span), [data, span]);
  if (!curves) return error ? <ErrorBox error={error} /> : <Loader aria-label="Loading" />;
  const { times, calls, tokens, cost } = curves;
  const common = { times, last: span.last };
  return (
    <>
      {error && <ErrorBox error={error} />}
      <Plot title="Calls, and failed calls (dashed)" curves={calls} format={formatNumber} {...common} />
      <Plot title="Tokens" curves={tokens} format={formatNumber} {...common} />
      <Plot title="Cost" curves={cost} format={formatCost} {...common} />
    </>
  );
}

/** The API leaves out days and hours without calls. The future has none. */
function curvesOf(all: readonly Group[], failed: readonly Group[], { period, stepMs, keyOf }: Span) {
  const { fromDate, toDate } = rangeOf(period);
  const first = Math.floor(Date.parse(fromDate) / stepMs);
  const steps = Math.ceil(Math.min(Date.parse(toDate), Date.now()) / stepMs) - first;
  const keys = Array.from({ length: Math.max(0, steps) }, (_, at) => keyOf((first + at) * stepMs));
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
