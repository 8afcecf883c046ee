import { Group, NativeSelect, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { Empty } from '../parts/empty.js';
import { ErrorBox } from '../parts/error-box.js';
import { formatCost, formatDuration, formatNumber } from '../parts/format.js';
import { Page } from '../parts/page.js';
import { PeriodChoice, usePeriod } from '../parts/period.js';
import { REFRESH_MS } from '../parts/refresh.js';
import { useFilters } from '../parts/use-filters.js';

type Group = Schemas['LlmLedgerGroup'];

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';
const GROUPS = ['day', 'model', 'provider', 'agent', 'source', 'environment', 'session'] as const;

/** The calls of the project, added up by a member of the user's choice. */
export default function OverviewPage() {
  const { asApp, projectId, name } = useApp();
  const [{ by = 'model' }, change] = useFilters();
  const { period, range } = usePeriod();
  const groupBy = GROUPS.find((each) => each === by) ?? 'model';
  const { data, error } = useQuery({
    queryKey: ['summary', projectId, period, groupBy],
    queryFn: () =>
      bodyOf(asApp.GET(PATH, { params: { path: { projectId }, query: { ...range(), groupBy } as never } })),
    refetchInterval: REFRESH_MS,
  });
  const query = new URLSearchParams({ ...range(), groupBy }).toString();
  return (
    <Page title={name} request={{ path: `${PATH.replace('{projectId}', projectId)}?${query}`, access: 'key' }}>
      <Group align="end">
        <PeriodChoice />
        <NativeSelect
          size="xs"
          label="Grouped by"
          value={groupBy}
          onChange={({ currentTarget }) => change({ by: currentTarget.value })}
          data={[...GROUPS]}
        />
      </Group>
      {error && <ErrorBox error={error} />}
      {data?.groups.length === 0 && <Empty text="No model was called in this period." />}
      {data && data.groups.length > 0 && <Groups of={data.groups} />}
    </Page>
  );
}

function Groups({ of }: { of: readonly Group[] }) {
  const most = Math.max(...of.map(({ calls }) => calls));
  return (
    <Table aria-label="Calls by group" striped>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Group</Table.Th>
          <Table.Th w="20%">Part</Table.Th>
          {['Calls', 'Tokens', 'Cost', 'Average latency'].map((title) => (
            <Table.Th key={title} ta="right">
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {of.map(({ key, calls, totalTokens, cost, averageLatencyMs }) => (
          <Table.Tr key={key}>
            <Table.Td className="cell" dir="auto">
              {key || 'none'}
            </Table.Td>
            <Table.Td>
              <div className="waterfall">
                <span style={{ left: 0, width: `${(calls / most) * 100}%` }} />
              </div>
            </Table.Td>
            <Table.Td ta="right">{formatNumber(calls)}</Table.Td>
            <Table.Td ta="right">{formatNumber(totalTokens)}</Table.Td>
            <Table.Td ta="right">{formatCost(cost)}</Table.Td>
            <Table.Td ta="right">{formatDuration(averageLatencyMs)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
