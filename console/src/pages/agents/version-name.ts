import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../app/app-context.js';
import { agentOptions, versionOptions } from './requests.js';

/** Names a version of an agent, such as "Returns desk, version 2". The name is undefined until it is read. */
export function useVersionName(agentId: string | null, versionId: string | null) {
  const { appId } = useApp();
  const enabled = agentId !== null && versionId !== null;
  const agent = useQuery({ ...agentOptions(appId, agentId ?? ''), enabled });
  const version = useQuery({ ...versionOptions(appId, agentId ?? '', versionId ?? ''), enabled });
  const name = agent.data && version.data && `${agent.data.name}, version ${version.data.version}`;
  return { name, error: agent.error ?? version.error };
}
