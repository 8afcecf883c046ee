import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { connectionsOptions, modelsOptions } from '../../parts/project-things.js';
import { GONE } from '../../parts/usable.js';

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

/** Reads the models of the project, of which an agent can choose those that are usable now. */
export function useModelReads() {
  const { projectId } = useApp();
  return {
    connections: useQuery({ ...connectionsOptions(projectId), select: choicesOfConnections }),
    models: useQuery({ ...modelsOptions(projectId), select: choicesOfModels }),
  };
}

/** Returns all that can answer, of what has been read. */
export function modelChoices(connections: readonly ModelChoice[] = [], models: readonly ModelChoice[] = []) {
  return [...connections, ...models, MOCK];
}

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

function choicesOfConnections(connections: readonly Schemas['Connection'][]): ModelChoice[] {
  return connections.map(choiceOfConnection);
}

function choicesOfModels(models: readonly Schemas['Model'][]): ModelChoice[] {
  return models.map(({ modelId, name, state }) => ({
    value: modelId,
    name,
    label: `Deployed model ${name}`,
    isUsable: state === 'DEPLOYED',
    members: { ...NONE, modelId },
    place: { page: 'models', search: { model: modelId } },
  }));
}
