import { Group, NativeSelect, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { Awaited } from '../../parts/awaited.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { formatCost, formatNumber, formatPart } from '../../parts/format.js';
import { Legend } from './legend.js';
import type { Curve } from './curves.js';
import Plot from './plot.js';
import { useFilters } from '../../parts/use-filters.js';
import { PlotGrid } from './plot-grid.js';
import { PERCENTILES, SplitLatency } from './split-latency.js';
import { axisOf, type Span, windowOf } from './spans.js';
import type { Split } from './sums.js';
import { type Drawn, usePlots } from './use-plots.js';

type Interval = Schemas['LlmLedgerGroupInterval'];

/** More curves than these could not be told apart. */
const CURVES = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

type Groups = Awaited<ReturnType<typeof readGroups>>;

interface SplitPlotsProps extends Drawn {
  by: Split;
}

/** The calls of a period over time, with a curve for each of the groups that cost most. */
export function SplitPlots(props: SplitPlotsProps) {
  const read = usePlots(props, {
    name: `sums by ${props.by}`,
    read: (span) => readGroups(props, span),
    everyMs: REFRESH_SELDOM_MS,
  });
  return <Awaited of={read}>{(groups) => <PlotsOfGroups {...props} of={groups} />}</Awaited>;
}

function PlotsOfGroups({ of, ...drawn }: SplitPlotsProps & { of: Groups }) {
  const { axis, groups, hasMore, plots } = of;
  const [{ percentile: asked }, change] = useFilters();
  const percentile = PERCENTILES.find((each) => each === asked) ?? 'p95';
  return (
    <>
      {groups.length === 0 && <Text size="sm">No model was called in this period, so there is nothing to draw.</Text>}
      {hasMore && <Text size="sm">The plots show the {groups.length} groups with the highest cost.</Text>}
      <Legend of={groups} />
      {groups.length > 0 && (
        <>
          <Group>
            <NativeSelect
              size="xs"
              label="Times are shown as"
              value={percentile}
              onChange={({ currentTarget }) => change({ percentile: currentTarget.value })}
              data={[...PERCENTILES]}
            />
          </Group>
          <PlotGrid>
            {plots.map((plot) => (
              <Plot key={plot.title} {...plot} axis={axis} />
            ))}
            <SplitLatency {...drawn} groups={groups} percentile={percentile} />
          </PlotGrid>
        </>
      )}
    </>
  );
}

async function readGroups({ source, filters, by }: SplitPlotsProps, span: Span) {
  const { groups, hasMore } = await source.read({
    ...filters,
    ...windowOf(span),
    groupBy: by,
    interval: span.interval,
    limit: CURVES.length,
  });
  const axis = axisOf(span);
  const named = groups.map(({ key, intervals = [] }, at) => {
    const byTime = new Map(intervals.map((interval) => [interval.key, interval]));
    const found = axis.times.map((time) => byTime.get(span.keyOf(time)));
    return { key, label: key || 'none', style: CURVES[at]!, found };
  });
  const curvesOf = (valueOf: (interval: Interval) => number, absent: number | null): Curve[] =>
    named.map(({ found, label, style }) => ({
      label,
      style,
      values: found.map((interval) => (interval ? valueOf(interval) : absent)),
    }));
  const plots = [
    { title: 'Calls', curves: curvesOf(({ calls }) => calls, 0), format: formatNumber, isWhole: true },
    { title: 'Failed calls', curves: curvesOf(({ failed }) => failed, 0), format: formatNumber, isWhole: true },
    {
      title: 'Share of failed calls of each group',
      curves: curvesOf(({ failed, calls }) => failed / calls, null),
      format: formatPart,
    },
    { title: 'Tokens', curves: curvesOf(({ totalTokens }) => totalTokens, 0), format: formatNumber, isWhole: true },
    { title: 'Cost', curves: curvesOf(({ cost }) => cost, 0), format: formatCost },
  ];
  return { axis, groups: named, hasMore, plots };
}
