import { Button, Group, Loader, NativeSelect, Table, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Empty } from '../../parts/empty.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { ErrorBox } from '../../parts/error-box.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatCost, formatDuration, formatNumber } from '../../parts/format.js';
import { Page } from '../../parts/page.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { periodOf, rangeOf } from '../../parts/period.js';
import { chosenFrom, useFilters } from '../../parts/use-filters.js';
import { reportCall } from '../../parts/first-requests.js';
import { Problems } from './problems.js';
import { SUMS_PATH, useSums } from './sums.js';

const GROUPS = ['day', 'model', 'provider', 'agent', 'source', 'environment', 'session'] as const;
const FILTERS = [
  { name: 'model', label: 'Model' },
  { name: 'provider', label: 'Provider' },
  { name: 'name', label: 'Agent' },
  { name: 'source', label: 'Source' },
  { name: 'environment', label: 'Environment', values: ENVIRONMENTS },
] as const;

/** The library for plots is only loaded when they are opened. */
const Plots = lazy(() => import('./plots.js'));

/** A page with the present problems, and the calls of the project, added up by a member of the user's choice. */
export default function OverviewPage() {
  const { projectId, name } = useApp();
  const [filters, change] = useFilters();
  const { by = 'model', plots } = filters;
  const period = periodOf(filters);
  const groupBy = GROUPS.find((each) => each === by) ?? 'model';
  const chosen = chosenFrom(filters, FILTERS);
  const queryOf = period && (() => ({ ...chosen, ...rangeOf(period), groupBy }));
  const { data, error } = useSums(['groups', period, groupBy, chosen], queryOf);
  return (
    <Page title={name} request={queryOf && { path: filled(SUMS_PATH, { projectId }), query: queryOf(), access: 'key' }}>
      <Problems />
      <Group align="end">
        <PeriodChoice />
        <NativeSelect
          size="xs"
          label="Grouped by"
          value={groupBy}
          onChange={({ currentTarget }) => change({ by: currentTarget.value })}
          data={[...GROUPS]}
        />
        <FilterBar filters={FILTERS} />
        <Button
          size="xs"
          variant="default"
          aria-expanded={plots !== undefined}
          onClick={() => change({ plots: plots ? undefined : 'days' })}
        >
          {plots ? 'Hide the plots' : 'Show the plots'}
        </Button>
      </Group>
      {plots && period && (
        <Suspense fallback={<Loader aria-label="Loading" />}>
          <Plots filters={chosen} period={period} />
        </Suspense>
      )}
      {error && <ErrorBox error={error} />}
      {data?.all.groups.length === 0 && (
        <Empty
          text="No model was called in this period. An agent that answers calls one, or a program reports its own call:"
          request={reportCall(projectId)}
        />
      )}
      {data && data.all.groups.length > 0 && <Groups {...data} />}
    </Page>
  );
}

type Sums = NonNullable<ReturnType<typeof useSums>['data']>;

function Groups({ all, failed }: Sums) {
  const most = Math.max(...all.groups.map(({ calls }) => calls));
  const failures = new Map(failed.groups.map(({ key, calls }) => [key, calls]));
  // The API has left groups out, so it is not known whether calls of the others failed.
  const failedOf = (key: string) => (failed.hasMore && !failures.has(key) ? '–' : formatNumber(failures.get(key) ?? 0));
  return (
    <>
      <Table aria-label="Calls by group" striped>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            <Table.Th w="20%">Part</Table.Th>
            {['Calls', 'Failed', 'Tokens', 'Cost', 'Average latency'].map((title) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.groups.map(({ key, calls, totalTokens, cost, averageLatencyMs }) => (
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
              <Table.Td ta="right">{failedOf(key)}</Table.Td>
              <Table.Td ta="right">{formatNumber(totalTokens)}</Table.Td>
              <Table.Td ta="right">{formatCost(cost)}</Table.Td>
              <Table.Td ta="right">{formatDuration(averageLatencyMs)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {all.hasMore && (
        <Text size="sm">The {formatNumber(all.groups.length)} groups with the highest cost are shown.</Text>
      )}
    </>
  );
}
