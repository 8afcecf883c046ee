import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import type { Environment } from '../parts/environments.js';
import { ErrorBox } from '../parts/error-box.js';
import { useAction } from '../parts/use-action.js';

const ENVIRONMENT = '/api/admin/v1/apps/{appId}/environments/{envName}';
const AGENT = '/api/admin/v1/apps/{appId}/agents/{agentId}';
/** Customers talk to the agents of the other environments, so the playground does not change those. */
const TO_TRY: readonly Environment[] = ['development', 'working-copy'];

interface VersionProps {
  envName: Environment;
  /** Is called when another version answers, so that its conversation begins again. */
  onChosen: () => void;
}

/** The agent and the version that answer in an environment. In environments for trying, the user chooses the version. */
export function AnsweringVersion({ envName, onChosen }: VersionProps) {
  const { appId } = useApp();
  const { data: active } = useQuery({
    queryKey: ['active', appId, envName],
    queryFn: () => readActive(appId, envName),
  });
  const { data: inProduction } = useQuery({
    queryKey: ['active', appId, 'production'],
    queryFn: () => readActive(appId, 'production'),
    enabled: active === null,
  });
  const agentId = active?.agentId ?? inProduction?.agentId;
  return (
    <>
      {TO_TRY.includes(envName) && agentId !== undefined && (
        <VersionChoice {...{ envName, agentId, onChosen }} versionId={active?.versionId ?? null} />
      )}
      <Text size="sm" className="cell" dir="auto">
        {active === null ? 'No agent is active here' : active?.text}
      </Text>
    </>
  );
}

/** Returns null if no agent is active. */
async function readActive(appId: string, envName: Environment) {
  const params = { path: { appId, envName } };
  const { agentId, appVersionId: versionId } = await dataOf(api.GET(`${ENVIRONMENT}/active`, { params }));
  if (agentId === null || versionId === null) return null;
  const [{ name }, { version }] = await Promise.all([
    dataOf(api.GET(AGENT, { params: { path: { appId, agentId } } })),
    dataOf(api.GET(`${AGENT}/versions/{versionId}`, { params: { path: { appId, agentId, versionId } } })),
  ]);
  return { agentId, versionId, text: `${name}, version ${version}` };
}

interface VersionChoiceProps extends VersionProps {
  agentId: string;
  /** The version that answers now. */
  versionId: string | null;
}

function VersionChoice({ envName, agentId, versionId, onChosen }: VersionChoiceProps) {
  const { appId } = useApp();
  const path = { appId, agentId };
  const { data: versions = [], error } = useQuery({
    queryKey: ['versions-to-try', agentId],
    queryFn: () => dataOf(api.GET(`${AGENT}/versions`, { params: { path, query: { limit: 100 } } })),
  });
  const activate = useAction(async (chosen: string) => {
    const body = { agentId, versionId: chosen, active: true };
    await api.PUT(ENVIRONMENT, { params: { path: { appId, envName } }, body });
    onChosen();
  });
  const problem = error ?? activate.error;
  return (
    <>
      <NativeSelect
        size="xs"
        label="Version to try"
        value={versionId ?? ''}
        disabled={activate.isPending}
        onChange={({ currentTarget }) => activate.mutate(currentTarget.value)}
        data={[
          ...(versionId === null ? [{ value: '', label: 'none', disabled: true }] : []),
          ...versions.map((each) => ({ value: each.versionId, label: `Version ${each.version}` })),
        ]}
      />
      {problem && <ErrorBox error={problem} />}
    </>
  );
}
