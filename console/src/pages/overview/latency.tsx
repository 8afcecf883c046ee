import type { Schemas } from '../../api/client.js';
import { Awaited } from '../../parts/awaited.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { formatDuration, formatPart } from '../../parts/format.js';
import type { Curve } from './curves.js';
import Plot, { type TimeAxis } from './plot.js';
import { axisOf, windowOf } from './spans.js';
import { type Drawn, usePlots } from './use-plots.js';

type Interval = Schemas['LlmLatencyInterval'];
type Times = 'latencyMs' | 'timeToFirstTokenMs';

const OF_TIMES = { format: formatDuration, isWhole: true, hasLegend: true };

/** Plots of percentiles and failures. They refresh seldom, because the service reads every call for them. */
export function LatencyPlots(of: Drawn) {
  const percentiles = usePlots(of, {
    name: 'latency',
    read: async (span) => {
      const query = { ...of.filters, ...windowOf(span), interval: span.interval };
      return plotsOf(await of.source.readLatency(query), axisOf(span));
    },
    everyMs: REFRESH_SELDOM_MS,
    retry: false,
  });
  return (
    <Awaited of={percentiles}>
      {({ axis, latency, firstToken, failures }) => (
        <>
          <Plot title="Latency" curves={latency} {...OF_TIMES} axis={axis} />
          <Plot title="Time to first token" curves={firstToken} {...OF_TIMES} axis={axis} />
          <Plot title="Share of failed calls" curves={failures} format={formatPart} axis={axis} />
        </>
      )}
    </Awaited>
  );
}

function plotsOf(answer: Schemas['LlmLedgerLatency'], axis: TimeAxis) {
  // The window may end later than the axis, in an hour or day that has not begun.
  const intervals = answer.intervals.slice(0, axis.times.length);
  return {
    axis,
    latency: percentilesOf(intervals, 'latencyMs'),
    firstToken: percentilesOf(intervals, 'timeToFirstTokenMs'),
    failures: [
      {
        label: 'failed',
        values: intervals.map(({ calls, failed }) => (calls > 0 ? failed / calls : null)),
        style: 'fault' as const,
      },
    ],
  };
}

function percentilesOf(intervals: readonly Interval[], times: Times): Curve[] {
  const curve = (label: 'p50' | 'p95' | 'p99', style: Curve['style']): Curve => ({
    label,
    values: intervals.map((interval) => interval[times]?.[label] ?? null),
    style,
  });
  return [curve('p50', 'first'), curve('p95', 'second'), curve('p99', 'third')];
}
