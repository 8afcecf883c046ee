import { Button, Group, NativeSelect, Table, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { Awaited } from '../../parts/awaited.js';
import { ShortText } from '../../parts/foreign-text.js';
import { Drawing } from '../../parts/drawing.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatCode, formatCost, formatDuration, formatNumber, formatPart } from '../../parts/format.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { periodOf, rangeOf, refreshOf } from '../../parts/period.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { chosenFrom, type Filter, useFilters } from '../../parts/use-filters.js';
import { WideTable } from '../../parts/wide-table.js';
import { type CallFilters, type GroupedSource, readSums, SPLITS, type Sums } from './sums.js';

const FILTERS: readonly Filter<CallFilters>[] = [
  { name: 'model', label: 'Model' },
  { name: 'provider', label: 'Provider' },
  { name: 'name', label: 'Agent' },
  { name: 'source', label: 'Source' },
  { name: 'environment', label: 'Environment', values: ENVIRONMENTS },
  { name: 'sourceSubtype', label: 'Subtype of the source' },
  { name: 'channel', label: 'Channel' },
  { name: 'channelType', label: 'Type of the channel' },
];

/** The library for plots is only loaded when they are opened. */
const Plots = lazy(() => import('./plots.js'));

/** Returns the query of the sums that the address asks for, or undefined while its period has faults. */
export function useSumsQuery<More extends string>({ groups }: GroupedSource<More>) {
  const [filters] = useFilters();
  const period = periodOf(filters);
  const groupBy = groups.find((each) => each === filters.by) ?? 'model';
  const chosen = chosenFrom(filters, FILTERS);
  const queryOf = period && (() => ({ ...chosen, ...rangeOf(period), groupBy }));
  return { period, groupBy, chosen, queryOf };
}

interface SumsOfCallsProps<More extends string> {
  of: GroupedSource<More>;
  /** Whether the plots are seen until the user hides them. */
  arePlotsOpen?: boolean;
  /** Shown if there are no calls. */
  empty: ReactNode;
}

/** The calls of a period, added up by a member of the user's choice, and drawn over time. */
export function SumsOfCalls<More extends string>({ of: source, arePlotsOpen = false, empty }: SumsOfCallsProps<More>) {
  const [{ plots = arePlotsOpen ? 'shown' : 'hidden', split: asked }, change] = useFilters();
  const isDrawn = plots === 'shown';
  const split = SPLITS.find((each) => each === asked);
  const { period, groupBy, chosen, queryOf } = useSumsQuery(source);
  const sums = useQuery({
    queryKey: ['sums', source.name, period, groupBy, chosen],
    queryFn: queryOf ? () => readSums(source, queryOf()) : skipToken,
    refetchInterval: refreshOf(period, REFRESH_MS),
  });
  return (
    <>
      <Group align="end">
        <PeriodChoice />
        <NativeSelect
          size="xs"
          label="Grouped by"
          value={groupBy}
          onChange={({ currentTarget }) => change({ by: currentTarget.value })}
          data={[...source.groups]}
        />
        <FilterBar filters={FILTERS} />
        <Button
          size="xs"
          variant="default"
          aria-expanded={isDrawn}
          onClick={() => change({ plots: isDrawn ? 'hidden' : 'shown' })}
        >
          {isDrawn ? 'Hide the plots' : 'Show the plots'}
        </Button>
        {isDrawn && (
          <NativeSelect
            size="xs"
            label="Plots split by"
            value={split ?? ''}
            onChange={({ currentTarget }) => change({ split: currentTarget.value })}
            data={[{ value: '', label: 'nothing' }, ...SPLITS]}
          />
        )}
      </Group>
      {isDrawn && period && (
        <Drawing>
          <Plots source={source} filters={chosen} period={period} split={split} />
        </Drawing>
      )}
      {period && (
        <Awaited of={sums}>
          {(read) => (read.all.groups.length === 0 ? empty : <Groups by={groupBy} {...read} />)}
        </Awaited>
      )}
    </>
  );
}

function Groups({ by, all, failed }: Sums & { by: string }) {
  const total = sumOf(all.groups, ({ calls }) => calls);
  const failures = new Map(failed.groups.map(({ key, calls }) => [key, calls]));
  // The API has left groups out, so it is not known whether calls of the others failed.
  const failedOf = (key: string) => (failed.hasMore && !failures.has(key) ? '–' : formatNumber(failures.get(key) ?? 0));
  return (
    <>
      <WideTable label="Calls by group" minWidth={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{formatCode(by)}</Table.Th>
            <Table.Th w="20%">Share of calls</Table.Th>
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
                <ShortText>{key || 'none'}</ShortText>
              </Table.Td>
              <Table.Td>
                <div className="bar">
                  <span style={{ left: 0, width: `${(calls / total) * 100}%` }} />
                </div>
                {formatPart(calls / total)}
              </Table.Td>
              <Table.Td ta="right">{formatNumber(calls)}</Table.Td>
              <Table.Td ta="right">{failedOf(key)}</Table.Td>
              <Table.Td ta="right">{formatNumber(totalTokens)}</Table.Td>
              <Table.Td ta="right">{formatCost(cost)}</Table.Td>
              <Table.Td ta="right">{formatDuration(averageLatencyMs)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        {all.groups.length > 1 && !all.hasMore && <Total of={all.groups} failed={failed.groups} />}
      </WideTable>
      {all.hasMore && (
        <Text size="sm">
          The {formatNumber(all.groups.length)} groups with the highest cost are shown, and their shares of the calls of
          these groups.
        </Text>
      )}
    </>
  );
}

/** All groups together. None of them was left out, so none of the failed calls was either. */
function Total({ of: groups, failed }: { of: readonly Group[]; failed: readonly Group[] }) {
  const calls = sumOf(groups, (group) => group.calls);
  return (
    <Table.Tfoot>
      <Table.Tr>
        <Table.Th scope="row">All</Table.Th>
        <Table.Td />
        <Table.Td ta="right">{formatNumber(calls)}</Table.Td>
        <Table.Td ta="right">{formatNumber(sumOf(failed, (group) => group.calls))}</Table.Td>
        <Table.Td ta="right">{formatNumber(sumOf(groups, ({ totalTokens }) => totalTokens))}</Table.Td>
        <Table.Td ta="right">{formatCost(sumOf(groups, ({ cost }) => cost))}</Table.Td>
        <Table.Td ta="right">
          {formatDuration(sumOf(groups, (group) => group.averageLatencyMs * group.calls) / calls)}
        </Table.Td>
      </Table.Tr>
    </Table.Tfoot>
  );
}

type Group = Sums['all']['groups'][number];

function sumOf(groups: readonly Group[], part: (group: Group) => number): number {
  return groups.reduce((sum, group) => sum + part(group), 0);
}
