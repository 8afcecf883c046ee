import { api, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { CreatingPage } from '../../parts/creating-page.js';
import { createAgent } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { PageLink } from '../../parts/page-link.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { AgentPage } from './agent.js';
import { Environments } from './environments.js';
import { choiceOf, modelChoices, useModelReads } from './model-choice.js';
import { NewAgentForm } from './new-agent.js';
import { AGENTS, keyOfAgents } from './requests.js';

const SORTS = sortsOf<typeof AGENTS>({ createdAt: 'desc', modifiedAt: 'desc', name: 'asc' });

export default function AgentsPage() {
  const { appId } = useApp();
  const [filters, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  if (filters.agent) {
    const close = () => change({ agent: undefined, version: undefined });
    return <AgentPage agentId={filters.agent} onClose={close} />;
  }
  const path = filled(AGENTS, { appId });
  return (
    <CreatingPage
      title="Agents"
      noun="agent"
      request={{ path, query: sortedBy(sorting), access: 'administration' }}
      form={(close) => <NewAgentForm onDone={(agent) => close({ agent })} />}
    >
      <Environments />
      <List
        label="Agents"
        of={keyOfAgents(appId)}
        sorting={sorting}
        read={(cursor) =>
          pageOf(api.GET(AGENTS, { params: { path: { appId }, query: { ...sortedBy(sorting), cursor } } }))
        }
        idOf={({ agentId }) => agentId}
        onOpen={({ agentId }) => open({ agent: agentId })}
        columns={[
          { title: 'Name', cell: ({ name }) => name, sortBy: 'name' },
          { title: 'Version', cell: ({ version }) => version, kind: 'number' },
          { title: 'Model', cell: (agent) => <ModelOf agent={agent} /> },
          { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt), kind: 'time', sortBy: 'modifiedAt' },
        ]}
        empty={{
          text: 'This app has no agent yet. Create one above, or with this request:',
          request: createAgent(appId),
        }}
      />
    </CreatingPage>
  );
}

/** Leads to the connection or the deployed model of an agent. Its id stands in place of the name until that is read, and after its deletion. */
function ModelOf({ agent }: { agent: Schemas['Agent'] }) {
  const { appId } = useApp();
  const { connections, models } = useModelReads();
  const { name, value, place } = choiceOf(modelChoices(connections.data, models.data), agent);
  if (!place) return name;
  return (
    <span title={value}>
      <PageLink to={`/apps/${appId}/${place.page}`} search={place.search}>
        {name}
      </PageLink>
    </span>
  );
}
