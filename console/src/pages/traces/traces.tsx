import { Group } from '@mantine/core';
import { bodyOf } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { hasEnded, type Period, periodOf, rangeOf } from '../../parts/period.js';
import { Status } from '../../parts/status.js';
import { chosenFrom, type Filter, useFilters, useOpen } from '../../parts/use-filters.js';
import { reportTrace } from '../../parts/first-requests.js';
import { TracePage } from './trace.js';

const PATH = '/api/public/apps/{appId}/traces';
type Query = QueryOf<typeof PATH>;

const FILTERS: readonly Filter<Query>[] = [
  { name: 'status', label: 'Status', values: ['success', 'failed'] },
  { name: 'name', label: 'Name' },
  { name: 'sessionId', label: 'Session' },
  { name: 'spanId', label: 'Span' },
];

export default function TracesPage() {
  const { appId } = useApp();
  const [filters, change] = useFilters();
  if (filters.trace)
    return <TracePage traceId={filters.trace} onClose={() => change({ trace: undefined, step: undefined })} />;
  const period = periodOf(filters);
  const chosen = chosenFrom(filters, FILTERS);
  const query = period && { ...chosen, ...rangeOf(period) };
  return (
    <Page title="Traces" request={query && { path: filled(PATH, { appId }), query, access: 'key' }}>
      <Group align="end">
        <PeriodChoice />
        <FilterBar filters={FILTERS} />
      </Group>
      {period && <TraceList chosen={chosen} period={period} />}
    </Page>
  );
}

function TraceList({ chosen, period }: { chosen: Partial<Query>; period: Period }) {
  const { asApp, appId } = useApp();
  const open = useOpen();
  return (
    <List
      label="Traces"
      of={['traces', appId, period, chosen]}
      isOver={hasEnded(period)}
      read={async (cursor) => {
        const query = { ...chosen, ...rangeOf(period), cursor, limit: 50 };
        const { traces, nextCursor } = await bodyOf(asApp.GET(PATH, { params: { path: { appId }, query } }));
        return { rows: traces, next: nextCursor };
      }}
      idOf={({ traceId }) => traceId}
      onOpen={({ traceId }) => open({ trace: traceId })}
      columns={[
        { title: 'Trace', cell: ({ traceId }) => traceId, kind: 'id' },
        { title: 'Name', cell: ({ name }) => name },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        { title: 'Started', cell: ({ startedAt }) => formatTime(startedAt), kind: 'time' },
        { title: 'Duration', cell: ({ latencyMs }) => formatDuration(latencyMs), kind: 'number' },
        { title: 'Steps', cell: ({ observationCount }) => formatNumber(observationCount), kind: 'number' },
      ]}
      chosen={chosen}
      empty={{
        text: 'There is no trace in this period. A trace appears when an agent answers, or when an instrumented program reports one:',
        request: reportTrace(),
      }}
    />
  );
}
