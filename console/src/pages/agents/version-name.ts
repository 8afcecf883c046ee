import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';

const AGENT = '/api/admin/v1/apps/{appId}/agents/{agentId}';

/** Names a version of an agent, such as "Returns desk, version 2". The name is undefined until it is read. */
export function useVersionName(agentId: string | null, versionId: string | null) {
  const { appId } = useApp();
  const { data: name, error } = useQuery({
    queryKey: ['version-name', appId, agentId, versionId],
    queryFn: () => readName(appId, agentId!, versionId!),
    enabled: agentId !== null && versionId !== null,
  });
  return { name, error };
}

async function readName(appId: string, agentId: string, versionId: string): Promise<string> {
  const [{ name }, { version }] = await Promise.all([
    dataOf(api.GET(AGENT, { params: { path: { appId, agentId } } })),
    dataOf(api.GET(`${AGENT}/versions/{versionId}`, { params: { path: { appId, agentId, versionId } } })),
  ]);
  return `${name}, version ${version}`;
}
