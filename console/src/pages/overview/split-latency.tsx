import { useMemo } from 'react';
import type { Schemas } from '../../api/client.js';
import { Awaited } from '../../parts/awaited.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { formatDuration } from '../../parts/format.js';
import type { Curve } from './curves.js';
import Plot, { type TimeAxis } from './plot.js';
import { axisOf, windowOf } from './spans.js';
import type { Split } from './sums.js';
import { type Drawn, usePlots } from './use-plots.js';

export const PERCENTILES = ['p50', 'p95', 'p99'] as const;
type Percentile = (typeof PERCENTILES)[number];

/** A group that the other plots show, too. */
interface DrawnGroup extends Required<Pick<Curve, 'label' | 'style'>> {
  key: string;
}

interface SplitLatencyProps extends Drawn {
  by: Split;
  groups: readonly DrawnGroup[];
  percentile: Percentile;
}

/** Plots of one percentile of the times of each group. They refresh seldom, as the service reads every call for them. */
export function SplitLatency({ by, groups, percentile, ...of }: SplitLatencyProps) {
  const { data, error } = usePlots(of, {
    name: `latency by ${by}`,
    read: async (span) => {
      const query = { ...of.filters, ...windowOf(span), interval: span.interval, groupBy: by };
      return { axis: axisOf(span), answer: await of.source.readLatency(query) };
    },
    everyMs: REFRESH_SELDOM_MS,
    retry: false,
  });
  const plots = useMemo(() => data && plotsOf(data.answer, data.axis, groups, percentile), [data, groups, percentile]);
  return (
    <Awaited of={{ data: plots, error }}>
      {(drawn) => drawn.map((plot) => <Plot key={plot.title} {...plot} format={formatDuration} isWhole />)}
    </Awaited>
  );
}

function plotsOf(
  answer: Schemas['LlmLedgerLatency'],
  axis: TimeAxis,
  groups: readonly DrawnGroup[],
  percentile: Percentile,
) {
  const curvesOf = (times: 'latencyMs' | 'timeToFirstTokenMs'): Curve[] =>
    groups.map(({ key, label, style }) => {
      const found = answer.groups?.find((group) => group.key === key)?.intervals;
      const byTime = new Map(found?.map((interval) => [Date.parse(interval.from), interval[times]?.[percentile]]));
      return { label, style, values: axis.times.map((time) => byTime.get(time) ?? null) };
    });
  return [
    { title: `Latency: ${percentile}`, curves: curvesOf('latencyMs'), axis },
    { title: `Time to first token: ${percentile}`, curves: curvesOf('timeToFirstTokenMs'), axis },
  ];
}
