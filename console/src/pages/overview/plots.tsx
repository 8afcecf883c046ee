import { Text } from '@mantine/core';
import { Awaited } from '../../parts/awaited.js';
import { formatCost, formatNumber } from '../../parts/format.js';
import Plot from './plot.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { LatencyPlots } from './latency.js';
import { PlotGrid } from './plot-grid.js';
import { axisOf, MOST_STEPS, type Span, spanOf, windowOf } from './spans.js';
import { SplitPlots } from './split-plots.js';
import { readSums, type Split, type Sums } from './sums.js';
import { type Drawn, usePlots } from './use-plots.js';

/** The calls of a period that match the filters: by hour up to three days, and by day beyond that. */
export default function Plots({ split, ...of }: Drawn & { split: Split | undefined }) {
  const span = spanOf(of.period);
  if (!span) return <Text size="sm">This period has not begun, so there is nothing to draw.</Text>;
  return (
    <>
      {span.isCut && <Text size="sm">The plots show the last {formatNumber(MOST_STEPS)} days of the period.</Text>}
      {split ? (
        <SplitPlots {...of} by={split} />
      ) : (
        <PlotGrid>
          <SumPlots {...of} />
          <LatencyPlots {...of} />
        </PlotGrid>
      )}
    </>
  );
}

function SumPlots(of: Drawn) {
  const sums = usePlots(of, {
    name: 'sums',
    read: (span) => readPlots(of, span),
    everyMs: REFRESH_MS,
  });
  return (
    <Awaited of={sums}>
      {({ axis, calls, tokens, cost }) => (
        <>
          <Plot title="Calls" curves={calls} format={formatNumber} isWhole hasLegend axis={axis} />
          <Plot title="Tokens" curves={tokens} format={formatNumber} isWhole axis={axis} />
          <Plot title="Cost" curves={cost} format={formatCost} axis={axis} />
        </>
      )}
    </Awaited>
  );
}

async function readPlots({ source, filters }: Drawn, span: Span) {
  const sums = await readSums(source, { ...filters, ...windowOf(span), groupBy: span.interval });
  return plotsOf(sums, span);
}

/** The API leaves out days and hours without calls. */
function plotsOf({ all, failed }: Sums, span: Span) {
  const axis = axisOf(span);
  const values = (groups: Sums['all']['groups'], valueOf: (group: (typeof groups)[number]) => number) => {
    const byKey = new Map(groups.map((group) => [group.key, valueOf(group)]));
    return axis.times.map((time) => byKey.get(span.keyOf(time)) ?? 0);
  };
  return {
    axis,
    calls: [
      { label: 'calls', values: values(all.groups, ({ calls }) => calls) },
      { label: 'failed', values: values(failed.groups, ({ calls }) => calls), style: 'fault' as const },
    ],
    tokens: [{ label: 'tokens', values: values(all.groups, ({ totalTokens }) => totalTokens) }],
    cost: [{ label: 'cost', values: values(all.groups, ({ cost }) => cost) }],
  };
}
