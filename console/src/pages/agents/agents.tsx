import { api, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { createAgent } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { AgentPage } from './agent.js';
import { Environments } from './environments.js';
import { AGENTS, keyOfAgents } from './reading.js';

export default function AgentsPage() {
  const { appId } = useApp();
  const [filters, change] = useFilters();
  const open = useOpen();
  if (filters.agent) {
    const close = () => change({ agent: undefined, version: undefined });
    return <AgentPage agentId={filters.agent} onClose={close} />;
  }
  const path = filled(AGENTS, { appId });
  return (
    <Page title="Agents" request={{ path, access: 'administration' }}>
      <Environments />
      <List
        label="Agents"
        of={keyOfAgents(appId)}
        read={(cursor) => pageOf(api.GET(AGENTS, { params: { path: { appId }, query: { cursor } } }))}
        idOf={({ agentId }) => agentId}
        onOpen={({ agentId }) => open({ agent: agentId })}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Version', cell: ({ version }) => version, isNumber: true },
          { title: 'Model', cell: ({ connectionId, modelId, model }) => connectionId ?? modelId ?? model ?? 'mock' },
          { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt) },
        ]}
        empty={{
          text: 'This app has no agent yet. Create one:',
          request: createAgent(appId),
        }}
      />
    </Page>
  );
}
