import { Button, Group, Loader, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { EnvironmentSelect } from '../../parts/environment-select.js';
import type { Environment } from '../../parts/environments.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { SidePanel } from '../../parts/side-panel.js';
import { useAction } from '../../parts/use-action.js';
import { Differences } from './differences.js';
import { AgentForm } from './form.js';

type Version = Schemas['AgentVersion'];

const PATH = '/api/admin/v1/apps/{appId}/agents/{agentId}';

/** An agent with its versions. A change makes a version, which answers once it is activated. */
export function AgentPage({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const { appId } = useApp();
  const [opened, setOpened] = useState<Version | null>(null);
  const params = { path: { appId, agentId } };
  const { data: agent, error } = useQuery({
    queryKey: ['agent', agentId],
    queryFn: () => dataOf(api.GET(PATH, { params })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={agent?.name ?? 'Agent'}
      request={{ path: filled(PATH, { appId, agentId }), access: 'administration' }}
      actions={
        <Button size="xs" variant="default" onClick={onClose}>
          All agents
        </Button>
      }
    >
      {error && <ErrorBox error={error} />}
      {!agent && !error && <Loader aria-label="Loading" />}
      {agent && <AgentForm key={agentId} agent={agent} />}
      <Title order={2} size="h4">
        Versions
      </Title>
      <List
        label="Versions"
        of={['versions', agentId]}
        read={(cursor) => pageOf(api.GET(`${PATH}/versions`, { params: { ...params, query: { cursor } } }))}
        idOf={({ versionId }) => versionId}
        onOpen={(version) => setOpened(version)}
        columns={[
          { title: 'Version', cell: ({ version }) => `Version ${version}` },
          { title: 'Id', cell: ({ versionId }) => versionId },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt) },
        ]}
        empty={{ text: 'This agent has no version.' }}
      />
      {opened && <VersionPanel version={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function VersionPanel({ version, onClose }: { version: Version; onClose: () => void }) {
  const { appId } = useApp();
  const [envName, setEnvironment] = useState<Environment>('production');
  const { agentId, versionId } = version;
  const activate = useAction((environment: Environment) =>
    api.PUT('/api/admin/v1/apps/{appId}/environments/{envName}', {
      params: { path: { appId, envName: environment } },
      body: { agentId, versionId, active: true },
    }),
  );
  const { instructions, createdAt, ...rest } = version;
  const path = `${filled(PATH, { appId, agentId })}/versions/${versionId}`;
  return (
    <SidePanel title={`Version ${version.version}`} request={{ path, access: 'administration' }} onClose={onClose}>
      <Stack>
        <Facts of={{ Id: versionId, Created: formatTime(createdAt) }} />
        <Group align="end">
          <EnvironmentSelect value={envName} onChange={setEnvironment} />
          <Button size="xs" loading={activate.isPending} onClick={() => activate.mutate(envName)}>
            Activate
          </Button>
          {activate.isSuccess && <span role="status">It answers in {activate.variables} now.</span>}
        </Group>
        {activate.error && <ErrorBox error={activate.error} />}
        <Differences of={version} />
        <JsonText title="Instructions" value={instructions} />
        <JsonText title="Settings" value={rest} />
      </Stack>
    </SidePanel>
  );
}
