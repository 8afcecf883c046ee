import { useQuery } from '@tanstack/react-query';
import { Table, Title } from '@mantine/core';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import type { Environment } from '../../parts/environments.js';
import { ErrorBox } from '../../parts/error-box.js';
import { createAgent } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { TableHead } from '../../parts/table-head.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { useAction } from '../../parts/use-action.js';
import { useFilters } from '../../parts/use-filters.js';
import { AgentPage } from './agent.js';
import { AGENTS, ENVIRONMENT, environmentsOptions, keyOfAgents } from './reading.js';
import { useVersionName } from './version-name.js';

export default function AgentsPage() {
  const { appId } = useApp();
  const [filters, change] = useFilters();
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
        onOpen={({ agentId }) => change({ agent: agentId })}
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

function Environments() {
  const { appId } = useApp();
  const { data, error } = useQuery({
    ...environmentsOptions(appId),
    refetchInterval: REFRESH_MS,
  });
  const rollBack = useAction((envName: Environment) =>
    api.POST(`${ENVIRONMENT}/rollback`, { params: { path: { appId, envName } } }),
  );
  return (
    <>
      <Title order={2} size="h4">
        Environments
      </Title>
      {error && <ErrorBox error={error} />}
      {rollBack.error && <ErrorBox error={rollBack.error} />}
      <Table aria-label="Active versions">
        <TableHead titles={['Environment', 'Active agent', 'Action']} />
        <Table.Tbody>
          {data?.map((environment) => (
            <Table.Tr key={environment.name}>
              <Table.Td>{environment.name}</Table.Td>
              <Table.Td className="cell" dir="auto">
                <ActiveVersion of={environment} />
              </Table.Td>
              <Table.Td>
                {environment.agentId !== null && (
                  <ConfirmButton
                    label="Roll back"
                    isBusy={rollBack.isPending}
                    onConfirm={() => rollBack.mutate(environment.name)}
                  />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

/** The ids are shown until the names are read. */
function ActiveVersion({ of: { agentId, appVersionId } }: { of: Schemas['Environment'] }) {
  const { name, error } = useVersionName(agentId, appVersionId);
  return (
    <>
      {name ?? (agentId === null ? 'none' : `${agentId}, ${appVersionId}`)}
      {error && <ErrorBox error={error} />}
    </>
  );
}
