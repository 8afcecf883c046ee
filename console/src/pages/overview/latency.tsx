import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.js';
import { refreshWhileFailing } from '../../api/queries.js';
import { Awaited } from '../../parts/awaited.js';
import { MINUTE_MS } from '../../parts/durations.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatDuration, formatPart } from '../../parts/format.js';
import { hasEnded, type Period } from '../../parts/period.js';
import Plot, { type Curve, type TimeAxis } from '../../parts/plot.js';
import { axisOf, spanOf, windowOf } from './spans.js';
import type { CallFilters, SumsSource } from './sums.js';

type Interval = Schemas['LlmLatencyInterval'];
type Times = 'latencyMs' | 'timeToFirstTokenMs';

interface LatencyProps {
  source: SumsSource;
  filters: CallFilters;
  period: Period;
}

/** Plots of percentiles and failures. They refresh seldom, because the service reads every call for them. */
export function LatencyPlots({ source, filters, period }: LatencyProps) {
  const { data, error } = useQuery({
    queryKey: ['latency', source.name, filters, period],
    queryFn: async () => {
      const span = spanOf(period)!;
      const { interval } = span;
      const answer = await source.readLatency({ ...filters, ...windowOf(span), interval });
      return plotsOf(answer, axisOf(span));
    },
    refetchInterval: hasEnded(period) ? refreshWhileFailing : MINUTE_MS,
    staleTime: MINUTE_MS,
    retry: false,
  });
  if (!data) return <Awaited error={error} />;
  const { axis, latency, firstToken, failures } = data;
  const percentiles = 'p50, p95 (dashed) and p99 (dotted)';
  return (
    <>
      {error && <ErrorBox error={error} />}
      <Plot title={`Latency: ${percentiles}`} curves={latency} format={formatDuration} axis={axis} />
      <Plot title={`Time to first token: ${percentiles}`} curves={firstToken} format={formatDuration} axis={axis} />
      <Plot title="Failed calls, as a part of all" curves={failures} format={formatPart} axis={axis} />
    </>
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
