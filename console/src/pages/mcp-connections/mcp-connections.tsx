import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { Status } from '../../parts/status.js';
import { SwitchedPage } from '../../parts/switched-page.js';
import { ChangeMcpConnectionForm, NewMcpConnectionForm } from './form.js';
import { useMcpConnections } from './requests.js';
import { OfferedTools } from './tools.js';

export default function McpConnectionsPage() {
  const requests = useMcpConnections();
  return (
    <SwitchedPage
      title="MCP connections"
      noun="MCP connection"
      requests={requests}
      idOf={({ mcpConnectionId }) => mcpConnectionId}
      nameOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => name, sortBy: 'name' },
        { title: 'Address', cell: ({ url }) => url },
        { title: 'Allowed tools', cell: ({ allowedTools }) => allowedTools?.length ?? 'all', kind: 'number' },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt), kind: 'time', sortBy: 'modifiedAt' },
      ]}
      empty={{
        text: 'Agents of this project reach no MCP server yet. Create a connection above, or with this request:',
        request: {
          method: 'POST',
          path: requests.path,
          access: 'administration',
          body: {
            name: 'Issue tracker',
            url: 'https://mcp.example.com/mcp',
            headers: [{ key: 'x-api-key', value: 'the key of the server' }],
          },
        },
      }}
      newForm={(onDone) => <NewMcpConnectionForm onDone={onDone} />}
      changeForm={(connection, onDone) => <ChangeMcpConnectionForm of={connection} onDone={onDone} />}
      facts={({ mcpConnectionId, status, url, allowedTools, authProfile, timeoutMs, createdAt, headers }) => (
        <>
          <Facts
            of={{
              Id: mcpConnectionId,
              Status: <Status of={status} />,
              Address: url,
              'Allowed tools': allowedTools === null ? 'all' : allowedTools.join(', ') || 'none',
              'Authorization profile': authProfile,
              'Time limit of a call': formatDuration(timeoutMs),
              Created: formatTime(createdAt),
            }}
          />
          {headers.length > 0 && <Headers of={headers} />}
        </>
      )}
      // A change may lead to another server, whose tools are others.
      check={(connection) => <OfferedTools key={connection.modifiedAt} of={connection} />}
    />
  );
}

/** The API masks their values. */
function Headers({ of }: { of: Schemas['McpConnection']['headers'] }) {
  return (
    <section aria-label="Headers">
      <Text fw={600} size="sm">
        Headers
      </Text>
      <Facts of={Object.fromEntries(of.map(({ key, value }) => [key, value]))} />
    </section>
  );
}
