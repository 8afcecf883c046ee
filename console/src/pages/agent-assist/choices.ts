import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { AGENTS } from '../agents/requests.js';
import { connectionsOptions } from '../../parts/project-things.js';
import { choicesOf, type Usable } from '../../parts/usable.js';
import { SUBSCRIPTIONS } from '../webhooks/requests.js';

/** All among which a bot can choose, by the member of the bot that names the chosen one. */
export interface BotChoices {
  connectionId: readonly Usable[];
  agentId: readonly Usable[];
  subscriptionId: readonly Usable[];
}

/** Reads all that a bot can use. */
export function useBotChoices(): { data: BotChoices | undefined; error: Error | null } {
  const { projectId, appId } = useApp();
  const connectionId = useQuery({ ...connectionsOptions(projectId), select: toUsableConnections });
  const agentId = useQuery({ queryKey: ['agents-to-choose', appId], queryFn: () => readAgents(appId) });
  const subscriptionId = useQuery({
    queryKey: ['subscriptions-to-choose', projectId],
    queryFn: () => readSubscriptions(projectId),
  });
  return choicesOf({ connectionId, agentId, subscriptionId });
}

function toUsableConnections(connections: readonly Schemas['Connection'][]): Usable[] {
  return connections.map(({ connectionId, connectionName, model, status }) => ({
    id: connectionId,
    label: `${connectionName}, ${model}${status === 'ACTIVE' ? '' : ' (inactive)'}`,
  }));
}

async function readAgents(appId: string): Promise<Usable[]> {
  const path = { appId };
  const agents = await readAll((cursor) =>
    pageOf(api.GET(AGENTS, { params: { path, query: { limit: 100, cursor } } })),
  );
  return agents.map(({ agentId, name }) => ({ id: agentId, label: name }));
}

async function readSubscriptions(projectId: string): Promise<Usable[]> {
  const path = { projectId };
  const subscriptions = await readAll((cursor) =>
    pageOf(api.GET(SUBSCRIPTIONS, { params: { path, query: { limit: 100, cursor } } })),
  );
  return subscriptions.map(({ subscriptionId, displayName, status }) => ({
    id: subscriptionId,
    label: `${displayName}${status === 'ACTIVE' ? '' : ' (disabled)'}`,
  }));
}
