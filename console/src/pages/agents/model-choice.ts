import { queryOptions } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { CONNECTIONS } from '../connections/requests.js';

/** A model that can answer. */
export interface ModelChoice {
  /** Names the choice in a form. */
  value: string;
  label: string;
  /** The members of an agent that name the model. */
  members: Pick<Schemas['CreateAgentInput'], 'connectionId' | 'modelId'>;
}

const MOCK: ModelChoice = { value: 'mock', label: 'The built-in mock', members: {} };

/** The models among which an agent of the project can choose now. */
export const modelChoiceOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['models-to-choose', projectId],
    queryFn: async () => {
      const [connections, models] = await Promise.all([readConnections(projectId), readModels(projectId)]);
      return [...connections, ...models, MOCK];
    },
  });

async function readConnections(projectId: string): Promise<ModelChoice[]> {
  const path = { projectId };
  const connections = await readAll((cursor) =>
    pageOf(api.GET(CONNECTIONS, { params: { path, query: { limit: 100, cursor } } })),
  );
  return connections
    .filter(({ status }) => status === 'ACTIVE')
    .map(({ connectionId, connectionName, model }) => ({
      value: connectionId,
      label: `Connection ${connectionName}, ${model}`,
      members: { connectionId },
    }));
}

async function readModels(projectId: string): Promise<ModelChoice[]> {
  const path = { projectId };
  const models = await readAll((cursor) =>
    pageOf(api.GET('/api/admin/v1/projects/{projectId}/models', { params: { path, query: { limit: 100, cursor } } })),
  );
  return models
    .filter(({ state }) => state === 'DEPLOYED')
    .map(({ modelId, name }) => ({ value: modelId, label: `Deployed model ${name}`, members: { modelId } }));
}
