import { Alert, Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';
import { isGone } from '../../api/queries.js';
import { useApp } from '../../app/app-context.js';
import type { Environment } from '../../parts/environments.js';
import { ErrorBox, RequestId } from '../../parts/error-box.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { APP_ENVIRONMENT, versionChoiceOptions, versionOptions } from '../agents/requests.js';
import { useVersionName } from '../agents/version-name.js';
import type { Tried } from './run-stream.js';

interface VersionProps {
  envName: Environment;
  tried: Tried | null;
  /** Is called with the version that is to answer, or with null if that is the active one again. */
  onTry: (version: Tried | null) => void;
}

/** The agent and the version that answer in an environment. The user may try another version, which does not become active. */
export function AnsweringVersion({ envName, tried, onTry }: VersionProps) {
  const { appId } = useApp();
  const { data: active, error } = useActive(appId, envName);
  const { data: inProduction, error: otherError } = useActive(appId, 'production', active === null);
  const agentId = active?.agentId ?? inProduction?.agentId;
  const { name, error: nameError } = useVersionName(active?.agentId ?? null, active?.versionId ?? null);
  const answering = active === null ? 'No agent is active here' : name;
  const problem = error ?? otherError ?? nameError;
  return (
    <>
      {problem && <ErrorBox error={problem} />}
      {agentId !== undefined && <VersionChoice agentId={agentId} tried={tried} onTry={onTry} />}
      <Text size="sm" w="100%" className="cell" dir="auto">
        {tried ? 'This version answers here without being active' : answering}
      </Text>
    </>
  );
}

/** The refusal of a version that the address names. */
export interface MissingVersion {
  /** Null if the text cannot be an id, because then no request was sent. */
  requestId: string | null;
}

/** Returns the version that the address names as `agent:version`, or why there is no such version. */
export function useTried(named: string | undefined): { tried: Tried | null; missing: MissingVersion | null } {
  const { appId } = useApp();
  const [agentId = '', versionId = ''] = named?.split(':') ?? [];
  const isWellFormed = agentId !== '' && versionId !== '';
  const { error } = useQuery({ ...versionOptions(appId, agentId, versionId), enabled: isWellFormed });
  if (named === undefined) return { tried: null, missing: null };
  if (!isWellFormed) return { tried: null, missing: { requestId: null } };
  if (isGone(error)) return { tried: null, missing: error };
  return { tried: { agentId, versionId }, missing: null };
}

/** Says that the version of the address does not exist, and leads back to the active one. */
export function NoSuchVersion({ of: { requestId }, onLeave }: { of: MissingVersion; onLeave: () => void }) {
  return (
    <Alert color="red" title="Not found" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">The version in the address does not exist, or it was deleted.</Text>
        <RequestId of={requestId} />
        <Button size="xs" variant="default" onClick={onLeave}>
          Talk to the active one
        </Button>
      </Stack>
    </Alert>
  );
}

export const keyOfActive = (appId: string, envName: Environment) => ['active', appId, envName];

/** Reads the agent and the version that are active in an environment, or null if none is. */
export function useActive(appId: string, envName: Environment, enabled = true) {
  return useQuery({
    queryKey: keyOfActive(appId, envName),
    queryFn: () => readActive(appId, envName),
    enabled,
    refetchInterval: REFRESH_MS,
  });
}

async function readActive(appId: string, envName: Environment) {
  const params = { path: { appId, envName } };
  const { agentId, appVersionId: versionId } = await dataOf(api.GET(`${APP_ENVIRONMENT}/active`, { params }));
  if (agentId === null || versionId === null) return null;
  return { agentId, versionId };
}

function VersionChoice({ agentId, tried, onTry }: Omit<VersionProps, 'envName'> & { agentId: string }) {
  const { appId } = useApp();
  const { data: versions = [], error } = useQuery(versionChoiceOptions(appId, agentId));
  return (
    <>
      <NativeSelect
        size="xs"
        label="Version to try"
        value={tried?.versionId ?? ''}
        onChange={({ currentTarget: { value } }) => onTry(value === '' ? null : { agentId, versionId: value })}
        data={[
          { value: '', label: 'The active one' },
          ...versions.map((each) => ({ value: each.versionId, label: `Version ${each.version}` })),
        ]}
      />
      {error && <ErrorBox error={error} />}
    </>
  );
}
