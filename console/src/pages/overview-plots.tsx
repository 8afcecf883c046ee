import { Loader, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { bodyOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { ErrorBox } from '../parts/error-box.js';
import { formatCost, formatNumber } from '../parts/format.js';
import { lastHours } from '../parts/last-hours.js';
import Plot from '../parts/plot.js';
import { REFRESH_MS } from '../parts/refresh.js';
import { LatencyPlots } from './overview-latency.js';

type Group = Schemas['LlmLedgerGroup'];

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';
const DAYS = 30;
const DAY_MS = 86_400_000;

/** The calls that match the filters, day by day. */
export default function Plots({ filters }: { filters: Record<string, string> }) {
  const { asApp, projectId } = useApp();
  const { data, error } = useQuery({
    queryKey: ['plots', projectId, filters],
    queryFn: async () => {
      const query = { ...filters, ...lastHours(24 * DAYS), groupBy: 'day' };
      const read = (more: object) =>
        bodyOf(asApp.GET(PATH, { params: { path: { projectId }, query: { ...query, ...more } as never } }));
      const [all, failed] = await Promise.all([read({}), read({ status: 'failed' })]);
      return { all: all.groups, failed: failed.groups };
    },
    refetchInterval: REFRESH_MS,
  });
  const days = useMemo(() => data && perDay(data.all, data.failed), [data]);
  if (error) return <ErrorBox error={error} />;
  if (!days) return <Loader aria-label="Loading" />;
  const { times, calls, tokens, cost } = days;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} component="section" aria-label={`The last ${DAYS} days`}>
      <Plot title="Calls, and failed calls (dashed)" times={times} curves={calls} format={formatNumber} />
      <Plot title="Tokens" times={times} curves={tokens} format={formatNumber} />
      <Plot title="Cost" times={times} curves={cost} format={formatCost} />
      <LatencyPlots filters={filters} days={DAYS} />
    </SimpleGrid>
  );
}

/** The API leaves out days without calls. */
function perDay(all: readonly Group[], failed: readonly Group[]) {
  const keys = Array.from({ length: DAYS + 1 }, (_, at) =>
    new Date(Date.now() - (DAYS - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const values = (groups: readonly Group[], valueOf: (group: Group) => number) => {
    const byDay = new Map(groups.map((group) => [group.key, valueOf(group)]));
    return keys.map((key) => byDay.get(key) ?? 0);
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
