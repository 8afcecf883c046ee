import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { Status } from '../../parts/status.js';
import { SwitchActions } from '../../parts/switch-actions.js';
import { useFilters } from '../../parts/use-filters.js';
import { ChangeMcpConnectionForm, NewMcpConnectionForm } from './form.js';
import { OfferedTools } from './tools.js';

const PATH = '/api/admin/v1/projects/{projectId}/mcp-connections';
const ONE = `${PATH}/{mcpConnectionId}` as const;

export default function McpConnectionsPage() {
  const { projectId } = useApp();
  const [{ connection: opened, create }, change] = useFilters();
  const path = filled(PATH, { projectId });
  return (
    <Page
      title="MCP connections"
      request={{ path, access: 'administration' }}
      actions={
        <Button size="xs" onClick={() => change({ create: 'yes' })}>
          New MCP connection
        </Button>
      }
    >
      {create && <NewMcpConnectionForm onDone={(connection) => change({ create: undefined, connection })} />}
      <List
        label="MCP connections"
        of={['mcp-connections', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ mcpConnectionId }) => mcpConnectionId}
        onOpen={({ mcpConnectionId }) => change({ connection: mcpConnectionId })}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Address', cell: ({ url }) => url },
          { title: 'Allowed tools', cell: ({ allowedTools }) => allowedTools?.length ?? 'all', isNumber: true },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt) },
        ]}
        empty={{
          text: 'Agents of this project reach no MCP server yet. Create a connection to one:',
          request: {
            method: 'POST',
            path,
            access: 'administration',
            body: {
              name: 'Issue tracker',
              url: 'https://mcp.example.com/mcp',
              headers: [{ key: 'x-api-key', value: 'the key of the server' }],
            },
          },
        }}
      />
      {opened && <ConnectionPanel mcpConnectionId={opened} onClose={() => change({ connection: undefined })} />}
    </Page>
  );
}

function ConnectionPanel({ mcpConnectionId, onClose }: { mcpConnectionId: string; onClose: () => void }) {
  const { projectId } = useApp();
  const params = { path: { projectId, mcpConnectionId } };
  const { data: connection, error } = useQuery({
    queryKey: ['mcp-connection', mcpConnectionId],
    queryFn: () => dataOf(api.GET(ONE, { params })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel
      title={connection?.name ?? 'MCP connection'}
      request={{ path: filled(ONE, params.path), access: 'administration' }}
      data={connection}
      error={error}
      onClose={onClose}
    >
      {(connection) => (
        <>
          <Facts
            of={{
              Id: mcpConnectionId,
              Status: <Status of={connection.status} />,
              Address: connection.url,
              'Allowed tools': connection.allowedTools === null ? 'all' : connection.allowedTools.join(', ') || 'none',
              'Authorization profile': connection.authProfile,
              'Time limit of a call': formatDuration(connection.timeoutMs),
              Created: formatTime(connection.createdAt),
            }}
          />
          {connection.headers.length > 0 && <JsonText title="Headers" value={connection.headers} />}
          <SwitchActions
            status={connection.status}
            list="mcp-connections"
            turn={(status) => api.PATCH(ONE, { params, body: { status } })}
            remove={() => api.DELETE(ONE, { params })}
            onGone={onClose}
            form={(onDone) => <ChangeMcpConnectionForm of={connection} onDone={onDone} />}
          />
          {/* A change may lead to another server, whose tools are others. */}
          <OfferedTools key={connection.modifiedAt} of={connection} />
        </>
      )}
    </ReadPanel>
  );
}
