import { Anchor, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Awaited } from '../../parts/awaited.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatDuration, formatNumber } from '../../parts/format.js';
import { PageLink } from '../../parts/page-link.js';
import { SectionTitle } from '../../parts/section-title.js';
import { TableHead } from '../../parts/table-head.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { WideTable } from '../../parts/wide-table.js';
import { JOB_LANES, JOB_SUMMARY, JOBS } from '../jobs/requests.js';

const COUNTS = ['Waiting', 'Running', 'Suspended', 'Late', 'Failed', 'Longest wait'];

/** The numbers of jobs by name. Each leads to the list of these jobs. */
export function JobCounts() {
  const summary = useQuery({
    queryKey: ['job-summary'],
    queryFn: () => dataOf(api.GET(JOB_SUMMARY)),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <SectionTitle title="Jobs by name" request={{ path: JOB_SUMMARY, access: 'administration' }} />
      <Awaited of={summary}>{(names) => <Names of={names} />}</Awaited>
      <Anchor size="sm" href="/queues/" target="_blank">
        Queues in Redis (new tab)
      </Anchor>
    </>
  );
}

function Names({ of: names }: { of: readonly Schemas['JobSummary'][] }) {
  if (names.length === 0) {
    const text = 'No job waits, runs or has failed. This request lists those that are done:';
    return <Empty text={text} request={{ path: JOBS, query: { state: 'done' }, access: 'administration' }} />;
  }
  return (
    <WideTable label="Jobs by name" minWidth={700}>
      <TableHead titles={['Name', 'Queue']} numbers={COUNTS} />
      <Table.Tbody>
        {names.map(({ name, queue, ...counts }) => (
          <Table.Tr key={`${name} ${queue}`}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{queue}</Table.Td>
            <Counts of={counts} among={{ name, queue }} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

/** The lanes in which most jobs wait. It shows nothing while there are none. */
export function LaneCounts() {
  const { data, error } = useQuery({
    queryKey: ['job-lanes'],
    queryFn: () => dataOf(api.GET(JOB_LANES)),
    refetchInterval: REFRESH_MS,
  });
  if (!data?.length) return error && <ErrorBox error={error} />;
  return (
    <>
      <SectionTitle title="Fullest lanes" request={{ path: JOB_LANES, access: 'administration' }} />
      {error && <ErrorBox error={error} />}
      <WideTable label="Fullest lanes" minWidth={700}>
        <TableHead titles={['Lane', 'Project']} numbers={COUNTS} />
        <Table.Tbody>
          {data.map(({ lane, projectId, ...counts }) => (
            <Table.Tr key={`${lane} ${projectId}`}>
              <Table.Td className="cell" dir="auto">
                {withVisibleMarks(lane)}
              </Table.Td>
              <Table.Td>{projectId ?? '–'}</Table.Td>
              <Counts of={counts} among={projectId === null ? { lane } : { lane, projectId }} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  );
}

/** The filters of a list of jobs. */
type Filters = Record<string, string>;
type JobCount = Omit<Schemas['LaneSummary'], 'lane' | 'projectId'>;

/** The cells of one row. The filters find its jobs. */
function Counts({ of, among }: { of: JobCount; among: Filters }) {
  return (
    <>
      <Count of={of.waiting} jobs={{ ...among, state: 'waiting' }} />
      <Count of={of.running} jobs={{ ...among, state: 'running' }} />
      <Count of={of.suspended} jobs={{ ...among, state: 'suspended' }} />
      <Table.Td ta="right">{formatNumber(of.late)}</Table.Td>
      <Count of={of.failed} jobs={{ ...among, state: 'failed' }} />
      <Table.Td ta="right">{formatDuration(of.oldestWaitingSeconds * 1_000)}</Table.Td>
    </>
  );
}

function Count({ of, jobs }: { of: number; jobs: Filters }) {
  return (
    <Table.Td ta="right">
      {of === 0 ? (
        0
      ) : (
        <PageLink to="/jobs" search={jobs}>
          {formatNumber(of)}
        </PageLink>
      )}
    </Table.Td>
  );
}
