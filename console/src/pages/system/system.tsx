import { Loader, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ApiError, bodyOf, dataOf, type Schemas } from '../../api/client.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { PageLink } from '../../parts/page-link.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { WideTable } from '../../parts/wide-table.js';
import { Retention } from './retention.js';

const READY = '/health/ready';
const JOBS = '/api/admin/v1/jobs/summary';
const PROCESSES = '/api/admin/v1/processes';

export default function SystemPage() {
  return (
    <Page title="System" request={{ path: READY, access: 'administration' }}>
      <Health />
      <Processes />
      <JobNames />
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
      <Title order={2} size="h4">
        Health of this process
      </Title>
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
      name,
      <>
        <Status of={status} /> {message}
      </>,
    ]),
  );
}

/** The processes of the installation. One that was killed stays for a day, so that its end is noticed. */
function Processes() {
  const { data, error } = useQuery({
    queryKey: ['processes'],
    queryFn: () => dataOf(api.GET(PROCESSES)),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <Title order={2} size="h4">
        Processes
      </Title>
      {error && <ErrorBox error={error} />}
      {data && (
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
    </>
  );
}

function textOfQueue({ queue, limit }: Schemas['Process']['queues'][number]) {
  return limit === null ? queue : `${queue} (at most ${formatNumber(limit)})`;
}

function JobNames() {
  const { data, error } = useQuery({
    queryKey: ['job-summary'],
    queryFn: () => dataOf(api.GET(JOBS)),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <Title order={2} size="h4">
        Jobs by name
      </Title>
      {error && <ErrorBox error={error} />}
      {data?.length === 0 && <Empty text="No job waits, runs or has failed." />}
      {data && data.length > 0 && (
        <WideTable label="Jobs by name" minWidth={700}>
          <TableHead titles={['Name', 'Queue', 'Waiting', 'Running', 'Suspended', 'Late', 'Failed', 'Oldest waits']} />
          <Table.Tbody>
            {data.map(({ name, queue, waiting, running, suspended, late, failed, oldestWaitingSeconds }) => (
              <Table.Tr key={`${name} ${queue}`}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{queue}</Table.Td>
                <JobCount of={{ name, queue, state: 'waiting' }}>{waiting}</JobCount>
                <JobCount of={{ name, queue, state: 'running' }}>{running}</JobCount>
                <JobCount of={{ name, queue, state: 'suspended' }}>{suspended}</JobCount>
                <Table.Td>{formatNumber(late)}</Table.Td>
                <JobCount of={{ name, queue, state: 'failed' }}>{failed}</JobCount>
                <Table.Td>{formatDuration(oldestWaitingSeconds * 1_000)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </>
  );
}

type CountedJobs = Pick<Schemas['JobSummary'], 'name' | 'queue'> & Pick<Schemas['Job'], 'state'>;

/** A number of jobs, which leads to the list of these jobs. */
function JobCount({ of: jobs, children: count }: { of: CountedJobs; children: number }) {
  return (
    <Table.Td>
      {count === 0 ? (
        0
      ) : (
        <PageLink to="/jobs" search={jobs}>
          {formatNumber(count)}
        </PageLink>
      )}
    </Table.Td>
  );
}
