import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { MINUTE_MS } from '../../parts/durations.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatDuration, formatPart } from '../../parts/format.js';
import { rangeOf } from '../../parts/period.js';
import Plot, { type Curve } from '../../parts/plot.js';
import type { Span } from './spans.js';

type Interval = Schemas['LlmLatencyInterval'];
type Times = 'latencyMs' | 'timeToFirstTokenMs';

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/latency';

/** Plots of percentiles and failures. They refresh seldom, because the service reads every call for them. */
export function LatencyPlots({ filters, span }: { filters: Record<string, string>; span: Span }) {
  const { asApp, projectId } = useApp();
  const { data, error } = useQuery({
    queryKey: ['latency', projectId, filters, span.interval, span.period],
    queryFn: () => {
      const query = { ...filters, ...rangeOf(span.period, MINUTE_MS), interval: span.interval };
      return bodyOf(asApp.GET(PATH, { params: { path: { projectId }, query: query as never } }));
    },
    refetchInterval: MINUTE_MS,
    staleTime: MINUTE_MS,
    retry: false,
  });
  // The window ends later than now, because clocks differ, and so may have an interval that has not begun.
  const plots = useMemo(
    () => data && plotsOf(data.intervals.filter(({ from }) => Date.parse(from) <= Date.now())),
    [data],
  );
  if (!plots) return error ? <ErrorBox error={error} /> : <Loader aria-label="Loading" />;
  const { times, latency, firstToken, failures } = plots;
  const common = { times, last: span.last };
  const percentiles = 'p50, p95 (dashed) and p99 (dotted)';
  return (
    <>
      {error && <ErrorBox error={error} />}
      <Plot title={`Latency: ${percentiles}`} curves={latency} format={formatDuration} {...common} />
      <Plot title={`Time to first token: ${percentiles}`} curves={firstToken} format={formatDuration} {...common} />
      <Plot title="Failed calls, as a part of all" curves={failures} format={formatPart} {...common} />
    </>
  );
}

function plotsOf(intervals: readonly Interval[]) {
  return {
    times: intervals.map(({ from }) => Date.parse(from) / 1_000),
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
