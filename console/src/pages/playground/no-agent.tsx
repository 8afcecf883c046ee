import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Empty } from '../../parts/empty.js';
import type { Environment } from '../../parts/environments.js';
import { ErrorBox } from '../../parts/error-box.js';
import { createAgent } from '../../parts/first-requests.js';
import { PageLink } from '../../parts/page-link.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { AGENTS, APP_ENVIRONMENT } from '../agents/requests.js';
import { useActive } from './version.js';

/** Shows how to get an agent that answers in an environment. It shows nothing if one is active. */
export function NoAgent({ envName }: { envName: Environment }) {
  const { appId } = useApp();
  const { data: active } = useActive(appId, envName);
  const { data: agents, error } = useQuery({
    queryKey: ['an-agent', appId],
    queryFn: () => dataOf(api.GET(AGENTS, { params: { path: { appId }, query: { limit: 1 } } })),
    enabled: active === null,
    refetchInterval: REFRESH_MS,
  });
  if (active !== null) return null;
  if (!agents) return error && <ErrorBox error={error} />;
  const [agent] = agents;
  const page = `/apps/${appId}/agents` as const;
  if (!agent) {
    return (
      <>
        <Empty
          text="This app has no agent yet. Create one on its page, or with this request:"
          request={createAgent(appId)}
        />
        <PageLink to={page} search={{ create: 'yes' }}>
          New agent
        </PageLink>
      </>
    );
  }
  const { agentId, versionId } = agent;
  return (
    <>
      <Empty
        text={`No agent answers in ${envName} yet. Activate one on its page, or with this request:`}
        request={{
          method: 'PUT',
          path: filled(APP_ENVIRONMENT, { appId, envName }),
          access: 'administration',
          body: { agentId, versionId, active: true },
        }}
      />
      <PageLink to={page}>Agents</PageLink>
    </>
  );
}
