import { Button, Group } from '@mantine/core';
import { api, pageOf, type Schemas } from '../api/client.js';
import { ErrorBox } from '../parts/error-box.js';
import { Facts } from '../parts/facts.js';
import { FilterBar } from '../parts/filter-bar.js';
import { formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { SidePanel } from '../parts/side-panel.js';
import { Status } from '../parts/status.js';
import { useAction } from '../parts/use-action.js';
import { useFilters } from '../parts/use-filters.js';
import { useState } from 'react';

type Job = Schemas['Job'];

const PATH = '/api/admin/v1/jobs';
const FILTERS = [
  { name: 'state', label: 'State', values: ['waiting', 'running', 'suspended', 'done', 'failed'] },
  { name: 'name', label: 'Name' },
  { name: 'projectId', label: 'Project' },
  { name: 'lane', label: 'Lane' },
] as const;

export default function JobsPage() {
  const [filters] = useFilters();
  const [opened, setOpened] = useState<Job | null>(null);
  const chosen = Object.fromEntries(
    FILTERS.flatMap(({ name }) => (filters[name] ? [[name, filters[name]] as const] : [])),
  );
  return (
    <Page title="Jobs" request={{ path: PATH, access: 'administration' }}>
      <FilterBar filters={FILTERS} />
      <List
        label="Jobs"
        of={['jobs', chosen]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { ...chosen, cursor, limit: 50 } as never } }))}
        idOf={({ jobId }) => jobId}
        onOpen={setOpened}
        columns={[
          { title: 'Job', cell: ({ jobId }) => jobId },
          { title: 'Name', cell: ({ name }) => name },
          { title: 'State', cell: ({ state }) => <Status of={state} /> },
          { title: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
          { title: 'Due', cell: ({ runAt }) => formatTime(runAt) },
          { title: 'Lane', cell: ({ lane }) => lane },
          { title: 'Error', cell: ({ error }) => error },
        ]}
        empty={{ text: 'No job matches.' }}
      />
      {opened && <JobPanel job={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function JobPanel({ job, onClose }: { job: Job; onClose: () => void }) {
  const params = { path: { jobId: job.jobId } };
  const cancel = useAction(() => api.POST('/api/admin/v1/jobs/{jobId}/cancel', { params }).then(onClose));
  const retry = useAction(() => api.POST('/api/admin/v1/jobs/{jobId}/retry', { params }).then(onClose));
  const error = cancel.error ?? retry.error;
  const hasEnded = job.state === 'done' || job.state === 'failed';
  return (
    <SidePanel title={job.name} onClose={onClose}>
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
      <Group my="md">
        {!hasEnded && (
          <Button size="xs" color="red.9" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the job
          </Button>
        )}
        {job.state === 'failed' && (
          <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate()}>
            Run it again
          </Button>
        )}
      </Group>
      {error && <ErrorBox error={error} />}
      <JsonText title="Data" value={job.data} />
      <JsonText title="Progress" value={job.progress} />
    </SidePanel>
  );
}
