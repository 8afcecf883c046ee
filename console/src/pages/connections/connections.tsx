import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { Status } from '../../parts/status.js';
import { SwitchActions } from '../../parts/switch-actions.js';
import { useAction } from '../../parts/use-action.js';
import { useFilters } from '../../parts/use-filters.js';
import { ChangeConnectionForm, NewConnectionForm } from './form.js';

const PATH = '/api/admin/v1/projects/{projectId}/connections';

export default function ConnectionsPage() {
  const { projectId } = useApp();
  const [{ connection: opened, create }, change] = useFilters();
  return (
    <Page
      title="Connections"
      request={{ path: filled(PATH, { projectId }), access: 'administration' }}
      actions={
        <Button size="xs" onClick={() => change({ create: 'yes' })}>
          New connection
        </Button>
      }
    >
      {create && <NewConnectionForm onDone={(connection) => change({ create: undefined, connection })} />}
      <List
        label="Connections"
        of={['connections', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ connectionId }) => connectionId}
        onOpen={({ connectionId }) => change({ connection: connectionId })}
        columns={[
          { title: 'Name', cell: ({ connectionName }) => connectionName },
          { title: 'Provider', cell: ({ provider }) => provider },
          { title: 'Model', cell: ({ model }) => model },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Changed', cell: ({ modifiedOn }) => formatTime(modifiedOn) },
        ]}
        empty={{
          text: 'This project reaches no model provider yet. Create a connection:',
          request: {
            method: 'POST',
            path: '/api/public/connections',
            access: 'key',
            body: {
              connectionName: 'OpenAI',
              provider: 'Vendor1',
              model: 'gpt-5-mini',
              fields: { API_KEY: 'KEY_OF_THE_PROVIDER' },
            },
          },
        }}
      />
      {opened && <ConnectionPanel connectionId={opened} onClose={() => change({ connection: undefined })} />}
    </Page>
  );
}

function ConnectionPanel({ connectionId, onClose }: { connectionId: string; onClose: () => void }) {
  const { projectId } = useApp();
  const { data: connection, error } = useQuery({
    queryKey: ['connection', connectionId],
    queryFn: () => dataOf(api.GET(`${PATH}/{connectionId}`, { params: { path: { projectId, connectionId } } })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel
      title={connection?.connectionName ?? 'Connection'}
      request={{ path: `${filled(PATH, { projectId })}/${connectionId}`, access: 'administration' }}
      data={connection}
      error={error}
      onClose={onClose}
    >
      {(connection) => (
        <>
          <Facts
            of={{
              Id: connectionId,
              Status: <Status of={connection.status} />,
              Provider: connection.provider,
              Model: connection.model,
              Created: formatTime(connection.createdOn),
            }}
          />
          <JsonText title="Fields" value={connection.fields} />
          <JsonText title="Warnings" value={connection.warnings} />
          <Actions of={connection} onGone={onClose} />
        </>
      )}
    </ReadPanel>
  );
}

function Actions({ of, onGone }: { of: Schemas['Connection']; onGone: () => void }) {
  const { projectId } = useApp();
  const params = { path: { projectId, connectionId: of.connectionId } };
  const test = useAction(() => dataOf(api.POST(`${PATH}/{connectionId}/test`, { params })));
  return (
    <>
      <Button size="xs" w="max-content" loading={test.isPending} onClick={() => test.mutate()}>
        Test the connection
      </Button>
      {test.error && <ErrorBox error={test.error} />}
      <JsonText title="Outcome of the test" value={test.data} />
      <SwitchActions
        status={of.status}
        list="connections"
        turn={(status) => api.PATCH(`${PATH}/{connectionId}`, { params, body: { status } })}
        remove={() => api.DELETE(`${PATH}/{connectionId}`, { params })}
        onGone={onGone}
        form={(onDone) => <ChangeConnectionForm of={of} onDone={onDone} />}
      />
    </>
  );
}
