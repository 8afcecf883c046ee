import { useQuery } from '@tanstack/react-query';
import { api, pageOf } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { AGENTS } from '../agents/requests.js';
import { CONNECTIONS } from '../connections/requests.js';
import { SUBSCRIPTIONS } from '../webhooks/requests.js';

/** A thing that a bot may use. */
export interface Usable {
  id: string;
  label: string;
}

/** All among which a bot can choose, by the member of the bot that names the chosen one. */
export interface BotChoices {
  connectionId: readonly Usable[];
  agentId: readonly Usable[];
  subscriptionId: readonly Usable[];
}

/** Reads what a bot can use. An earlier reading may lack what it uses by now. */
export function useBotChoices(): { data: BotChoices | undefined; error: Error | null } {
  const { projectId, appId } = useApp();
  const connections = useQuery({
    queryKey: ['connections-to-choose', projectId],
    queryFn: () => readConnections(projectId),
  });
  const agents = useQuery({ queryKey: ['agents-to-choose', appId], queryFn: () => readAgents(appId) });
  const subscriptions = useQuery({
    queryKey: ['subscriptions-to-choose', projectId],
    queryFn: () => readSubscriptions(projectId),
  });
  const areNew = [connections, agents, subscriptions].every(({ isFetchedAfterMount }) => isFetchedAfterMount);
  const isRead = areNew && connections.data && agents.data && subscriptions.data;
  return {
    data: isRead
      ? { connectionId: connections.data, agentId: agents.data, subscriptionId: subscriptions.data }
      : undefined,
    error: connections.error ?? agents.error ?? subscriptions.error,
  };
}

async function readConnections(projectId: string): Promise<Usable[]> {
  const path = { projectId };
  const connections = await readAll((cursor) =>
    pageOf(api.GET(CONNECTIONS, { params: { path, query: { limit: 100, cursor } } })),
  );
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
