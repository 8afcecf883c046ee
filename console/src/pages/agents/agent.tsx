import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { isGone } from '../../api/queries.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { EnvironmentSelect } from '../../parts/environment-select.js';
import type { Environment } from '../../parts/environments.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { Refusals } from '../../parts/refusals.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { SectionTitle } from '../../parts/section-title.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { useAction } from '../../parts/use-action.js';
import { useDeletion } from '../../parts/use-deletion.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { Differences } from './differences.js';
import { ActiveVersions, useEnvironments } from './environments.js';
import { AgentForm } from './form.js';
import { AGENT, agentOptions, APP_ENVIRONMENT, keyOfVersions, VERSION, versionOptions, VERSIONS } from './requests.js';

type Version = Schemas['AgentVersion'];

const SORTS = sortsOf<typeof VERSIONS>({ createdAt: 'desc', version: 'desc' }, 'versionSort');

/** An agent with its versions. A change makes a version, which answers once it is activated. */
export function AgentPage({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const { appId } = useApp();
  const [{ version: opened }, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  const path = { appId, agentId };
  const { data: agent, error } = useQuery({
    ...agentOptions(appId, agentId),
    refetchInterval: REFRESH_MS,
  });
  const deletion = useDeletion({ agent: agentId }, () => api.DELETE(AGENT, { params: { path } }), onClose);
  const { data: environments = [] } = useEnvironments();
  const activeIn = (versionId: string) =>
    environments
      .filter(({ appVersionId }) => appVersionId === versionId)
      .map(({ name }) => name)
      .join(', ');
  return (
    <Page
      title={agent?.name ?? 'Agent'}
      request={{ path: filled(AGENT, path), access: 'administration' }}
      back={{ label: 'All agents', go: onClose }}
      actions={
        agent && (
          <ConfirmButton
            label="Delete"
            warning="The versions of the agent are deleted, too."
            isBusy={deletion.isPending}
            onConfirm={() => deletion.mutate()}
          />
        )
      }
    >
      <Refusals of={[deletion]} />
      <Awaited of={{ data: isGone(error) ? undefined : agent, error }}>
        {(agent) => (
          <>
            <ActiveVersions of={agentId} />
            <AgentForm key={agentId} agent={agent} />
          </>
        )}
      </Awaited>
      {!isGone(error) && (
        <>
          <SectionTitle
            title="Versions"
            request={{ path: filled(VERSIONS, path), query: sortedBy(sorting), access: 'administration' }}
          />
          <List
            label="Versions"
            of={keyOfVersions(agentId)}
            sorting={sorting}
            read={(cursor) => pageOf(api.GET(VERSIONS, { params: { path, query: { ...sortedBy(sorting), cursor } } }))}
            idOf={({ versionId }) => versionId}
            onOpen={({ versionId }) => open({ version: versionId })}
            opened={opened}
            columns={[
              { title: 'Version', cell: ({ version }) => `Version ${version}`, sortBy: 'version' },
              { title: 'Active in', cell: ({ versionId }) => activeIn(versionId) },
              { title: 'Id', cell: ({ versionId }) => versionId, kind: 'id' },
              { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
            ]}
            empty={{
              text: 'This agent has no version. A change makes one:',
              request: {
                method: 'PATCH',
                path: filled(AGENT, path),
                access: 'administration',
                body: { instructions: 'You help customers with returns.' },
              },
            }}
          />
        </>
      )}
      {opened && (
        <VersionPanel
          key={opened}
          agentId={agentId}
          versionId={opened}
          onClose={() => change({ version: undefined })}
        />
      )}
    </Page>
  );
}

interface VersionPanelProps {
  agentId: string;
  versionId: string;
  onClose: () => void;
}

function VersionPanel({ agentId, versionId, onClose }: VersionPanelProps) {
  const { appId } = useApp();
  const { data: version, error } = useQuery(versionOptions(appId, agentId, versionId));
  return (
    <ReadPanel
      title={version ? `Version ${version.version}` : 'Version'}
      request={{ path: filled(VERSION, { appId, agentId, versionId }), access: 'administration' }}
      data={version}
      error={error}
      onClose={onClose}
    >
      {(version) => <VersionOfAgent of={version} />}
    </ReadPanel>
  );
}

function VersionOfAgent({ of }: { of: Version }) {
  const { appId } = useApp();
  const [envName, setEnvironment] = useState<Environment>('production');
  const { agentId, versionId } = of;
  const { data: environments = [] } = useEnvironments();
  const isActive = environments.some(({ name, appVersionId }) => name === envName && appVersionId === versionId);
  const activate = useAction((environment: Environment) =>
    api.PUT(APP_ENVIRONMENT, {
      params: { path: { appId, envName: environment } },
      body: { agentId, versionId, active: true },
    }),
  );
  const { instructions, createdAt, ...rest } = of;
  return (
    <>
      <Facts of={{ Id: versionId, Created: formatTime(createdAt) }} />
      <Group align="end">
        <EnvironmentSelect value={envName} onChange={setEnvironment} />
        <ChangeButton loading={activate.isPending} disabled={isActive} onClick={() => activate.mutate(envName)}>
          Activate
        </ChangeButton>
        {isActive && <span role="status">It answers in {envName} now.</span>}
      </Group>
      {activate.error && <ErrorBox error={activate.error} />}
      <Differences of={of} />
      <JsonText title="Instructions" value={instructions} />
      <JsonText title="Settings" value={rest} />
    </>
  );
}
