import { Anchor, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, pageOf, type Schemas } from '../api/client.js';
import { ErrorBox } from '../parts/error-box.js';
import { formatTime } from '../parts/format.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';

const PATH = '/api/admin/v1/projects';

export default function ProjectsPage() {
  return (
    <Page title="Projects" request={{ path: PATH, access: 'administration' }}>
      <List
        label="Projects"
        of={['projects']}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { cursor } } }))}
        idOf={({ projectId }) => projectId}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Apps', cell: (project) => <Apps of={project} /> },
          { title: 'Id', cell: ({ projectId }) => projectId },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt) },
        ]}
        empty={{
          text: 'There is no project yet. Create one:',
          request: { method: 'POST', path: PATH, access: 'administration', body: { name: 'Customer service' } },
        }}
      />
    </Page>
  );
}

function Apps({ of: { projectId } }: { of: Schemas['Project'] }) {
  const { data: apps, error } = useQuery({
    queryKey: ['apps', projectId],
    queryFn: () => dataOf(api.GET('/api/admin/v1/projects/{projectId}/apps', { params: { path: { projectId } } })),
  });
  if (error) return <ErrorBox error={error} />;
  if (!apps) return <Loader size="xs" aria-label="Loading" />;
  return apps.map(({ appId, name }) => (
    <div key={appId}>
      <Anchor component={Link} to="/apps/$appId/overview" params={{ appId } as never}>
        {name}
      </Anchor>
    </div>
  ));
}
