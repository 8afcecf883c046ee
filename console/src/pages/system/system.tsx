import { Loader, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ApiError, bodyOf, dataOf, type Schemas } from '../../api/client.js';
import { Awaited } from '../../parts/awaited.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatCode, formatNumber, formatTime } from '../../parts/format.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { SectionTitle } from '../../parts/section-title.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { WideTable } from '../../parts/wide-table.js';
import { JobCounts, LaneCounts } from './job-counts.js';
import { Retention } from './retention.js';

const READY = '/health/ready';
const PROCESSES = '/api/admin/v1/processes';

export default function SystemPage() {
  return (
    <Page title="System" request={{ path: READY, access: 'administration' }}>
      <Health />
      <Processes />
      <JobCounts />
      <LaneCounts />
      <Retention />
    </Page>
  );
}

/** A refusal has checks that are down, too. */
type Checks = Record<string, { status: Schemas['Ready']['checks'][string]['status'] | 'down'; message?: string }>;

function Health() {
  const { data, error } = useQuery({
    queryKey: ['ready'],
    queryFn: () => bodyOf(api.GET(READY)),
    refetchInterval: REFRESH_MS,
    // The refusal is the answer that the user looks for.
    retry: false,
  });
  const refused = error instanceof ApiError ? (error.details.checks as Checks | undefined) : undefined;
  return (
    <>
      <SectionTitle title="Health of this process" />
      {!data && !error && <Loader />}
      {error && <ErrorBox error={error} />}
      {refused && <Facts of={stateOf(refused)} />}
      {data && !error && <Facts of={{ Ready: <Status of={data.status} />, ...stateOf(data.checks) }} />}
    </>
  );
}

function stateOf(checks: Checks) {
  return Object.fromEntries(
    Object.entries(checks).map(([name, { status, message }]) => [
      formatCode(name),
      <>
        <Status of={status} /> {message}
      </>,
    ]),
  );
}

/** The processes of the installation. One that was killed stays for a day, so that its end is noticed. */
function Processes() {
  const processes = useQuery({
    queryKey: ['processes'],
    queryFn: () => dataOf(api.GET(PROCESSES)),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <SectionTitle title="Processes" request={{ path: PROCESSES, access: 'administration' }} />
      <Awaited of={processes}>
        {(data) => (
          <WideTable label="Processes" minWidth={760}>
            <TableHead titles={['Name', 'Role', 'Queues', 'Version', 'Started', 'Last heartbeat', 'State']} />
            <Table.Tbody>
              {data.map(({ name, role, queues, version, startedAt, lastHeartbeatAt, alive }) => (
                <Table.Tr key={`${name} ${startedAt}`}>
                  <Table.Td className="cell" dir="auto">
                    {name}
                  </Table.Td>
                  <Table.Td>{role}</Table.Td>
                  <Table.Td>{queues.map(textOfQueue).join(', ') || (role === 'api' ? 'none' : '–')}</Table.Td>
                  <Table.Td>{version}</Table.Td>
                  <Table.Td>{formatTime(startedAt)}</Table.Td>
                  <Table.Td>{formatTime(lastHeartbeatAt)}</Table.Td>
                  <Table.Td>
                    <Status of={alive ? 'alive' : 'dead'} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        )}
      </Awaited>
    </>
  );
}

function textOfQueue({ queue, limit }: Schemas['Process']['queues'][number]) {
  return limit === null ? queue : `${queue} (at most ${formatNumber(limit)})`;
}
