import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Facts } from '../../parts/facts.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatNumber, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { BY_PROJECT, ProjectFilter } from '../../parts/project-filter.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { Refusals } from '../../parts/refusals.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { useAction } from '../../parts/use-action.js';
import { chosenFrom, type Filter, useClosing, useFilters, useOpen } from '../../parts/use-filters.js';
import { JOB, JOB_SUMMARY, JOBS } from './requests.js';

const SORTS = sortsOf<typeof JOBS>({ createdAt: 'desc' });
const FILTERS: readonly Filter<QueryOf<typeof JOBS>>[] = [
  { name: 'state', label: 'State', values: ['waiting', 'running', 'suspended', 'done', 'failed'] },
  { name: 'name', label: 'Name' },
  { name: 'queue', label: 'Queue', values: ['dock', 'callbacks', 'turns', 'upkeep'] },
  { name: 'lane', label: 'Lane' },
];

export default function JobsPage() {
  const [filters, change] = useFilters();
  const open = useOpen();
  const chosen = chosenFrom(filters, [BY_PROJECT, ...FILTERS]);
  const sorting = useSorting(SORTS);
  const query = { ...chosen, ...sortedBy(sorting) };
  return (
    <Page title="Jobs" request={{ path: JOBS, query, access: 'administration' }}>
      <Group align="end">
        <ProjectFilter value={filters.projectId} />
        <FilterBar filters={FILTERS} />
      </Group>
      <List
        label="Jobs"
        of={['jobs', chosen]}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(JOBS, { params: { query: { ...query, cursor, limit: 50 } } }))}
        idOf={({ jobId }) => jobId}
        onOpen={({ jobId }) => open({ job: jobId })}
        opened={filters.job}
        columns={[
          { title: 'Job', cell: ({ jobId }) => jobId, kind: 'id' },
          { title: 'Name', cell: ({ name }) => name },
          { title: 'State', cell: ({ state }) => <Status of={state} /> },
          { title: 'Attempts', cell: ({ attempts }) => attempts, kind: 'number' },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
          { title: 'Due', cell: ({ runAt }) => formatTime(runAt), kind: 'time' },
          { title: 'Lane', cell: ({ lane }) => lane },
          { title: 'Error', cell: ({ error }) => error },
        ]}
        chosen={chosen}
        empty={{
          text: 'There is no job yet. Deliveries, imports and other work in the background appear here. This request counts jobs by name:',
          request: { path: JOB_SUMMARY, access: 'administration' },
        }}
      />
      {filters.job && <JobPanel key={filters.job} jobId={filters.job} onClose={() => change({ job: undefined })} />}
    </Page>
  );
}

function JobPanel({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const params = { path: { jobId } };
  const { data: job, error } = useQuery({
    queryKey: ['job', jobId],
    queryFn: () => dataOf(api.GET(JOB, { params })),
    refetchInterval: REFRESH_MS,
  });
  const close = useClosing({ job: jobId }, onClose);
  const cancel = useAction(() => api.POST(`${JOB}/cancel`, { params }).then(close));
  const retry = useAction(() => api.POST(`${JOB}/retry`, { params }).then(close));
  return (
    <ReadPanel
      title={job?.name ?? 'Job'}
      request={{ path: filled(JOB, { jobId }), access: 'administration' }}
      data={job}
      error={error}
      onClose={onClose}
    >
      {(job) => (
        <>
          <Facts
            of={{
              Id: job.jobId,
              State: <Status of={job.state} />,
              Project: job.projectId,
              Lane: job.lane,
              Attempts: job.attempts,
              Created: formatTime(job.createdAt),
              Due: formatTime(job.runAt),
              Finished: job.finishedAt && formatTime(job.finishedAt),
              Error: job.error,
            }}
          />
          <Group>
            {job.state !== 'done' && job.state !== 'failed' && (
              <ConfirmButton {...cancellationOf(job)} isBusy={cancel.isPending} onConfirm={() => cancel.mutate()} />
            )}
            {job.state === 'failed' && (
              <ChangeButton loading={retry.isPending} onClick={() => retry.mutate()}>
                Run it again
              </ChangeButton>
            )}
          </Group>
          <Refusals of={[cancel, retry]} />
          <JsonText title="Data" value={job.data} />
          <JsonText title="Progress" value={job.progress} />
        </>
      )}
    </ReadPanel>
  );
}

/** A recurring job cannot be ended, because it comes again. */
function cancellationOf({ everySeconds }: Schemas['Job']): { label: string; warning?: string } {
  if (everySeconds === null) return { label: 'Cancel the job' };
  return { label: 'Skip this turn', warning: `The job is due again ${formatNumber(everySeconds)} s later.` };
}
