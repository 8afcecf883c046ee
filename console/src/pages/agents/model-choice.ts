import { queryOptions } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { GONE } from '../../parts/usable.js';
import { readConnections } from '../connections/requests.js';

type ModelMembers = Pick<Schemas['Agent'], 'connectionId' | 'modelId' | 'model'>;

/** A model that can answer, or could be made to. */
export interface ModelChoice {
  /** Names the choice in a form. */
  value: string;
  name: string;
  label: string;
  isUsable: boolean;
  /** The members of an agent that name the model. */
  members: ModelMembers;
  /** The page of the connection or model. */
  place?: { page: 'connections' | 'models'; search: Record<string, string> };
}

const NONE: ModelMembers = { connectionId: null, modelId: null, model: null };
const MOCK: ModelChoice = {
  value: 'mock',
  name: 'The built-in mock',
  label: 'The built-in mock',
  isUsable: true,
  members: NONE,
};

/** The models of the project, of which an agent can choose those that are usable now. */
export const modelChoiceOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['models-to-choose', projectId],
    queryFn: async () => {
      const [connections, models] = await Promise.all([readConnections(projectId), readModels(projectId)]);
      return [...connections.map(choiceOfConnection), ...models, MOCK];
    },
  });

/** Returns the model of an agent. One that is not among the models of the project is deleted, or known by its name. */
export function choiceOf(
  choices: readonly ModelChoice[],
  { connectionId, modelId, model }: ModelMembers,
): Omit<ModelChoice, 'isUsable'> {
  const value = connectionId ?? modelId ?? model ?? MOCK.value;
  const known = [...choices, MOCK].find((choice) => choice.value === value);
  if (known) return known.isUsable ? known : { ...known, label: `${known.label} (not active)` };
  const label = value === model ? `Model ${value}` : `${value} ${GONE}.`;
  return { value, name: value, label, members: { connectionId, modelId, model } };
}

function choiceOfConnection(connection: Schemas['Connection']): ModelChoice {
  const { connectionId, connectionName: name, model, status } = connection;
  return {
    value: connectionId,
    name,
    label: `Connection ${name}, ${model}`,
    isUsable: status === 'ACTIVE',
    members: { ...NONE, connectionId },
    place: { page: 'connections', search: { connection: connectionId } },
  };
}

async function readModels(projectId: string): Promise<ModelChoice[]> {
  const path = { projectId };
  const models = await readAll((cursor) =>
    pageOf(api.GET('/api/admin/v1/projects/{projectId}/models', { params: { path, query: { limit: 100, cursor } } })),
  );
  return models.map(({ modelId, name, state }) => ({
    value: modelId,
    name,
    label: `Deployed model ${name}`,
    isUsable: state === 'DEPLOYED',
    members: { ...NONE, modelId },
    place: { page: 'models', search: { model: modelId } },
  }));
}
