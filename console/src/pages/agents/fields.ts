import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { type Field, NAME } from '../../parts/fields-form.js';
import { toolsOptions } from '../../parts/project-things.js';
import { choicesOf, GONE, type Usable, withGone } from '../../parts/usable.js';
import { MCP_CONNECTIONS } from '../mcp-connections/requests.js';
import { choiceOf, type ModelChoice, modelChoices, useModelReads } from './model-choice.js';

type Agent = Schemas['Agent'];
type AgentField = Field<keyof Schemas['ChangeAgentInput']>;

const INSTRUCTIONS: AgentField = {
  name: 'instructions',
  label: 'Instructions',
  kind: 'lines',
  isRequired: true,
  hint: 'The purpose of the agent, and how it is to answer',
};
const WELCOME: AgentField = {
  name: 'welcomeMessage',
  label: 'Welcome message',
  kind: 'lines',
  hint: 'The first message of each session',
};
const LIMITS: readonly AgentField[] = [
  {
    name: 'fallbackMessage',
    label: 'Message when it cannot answer',
    kind: 'lines',
    hint: 'The answer of a turn that fails',
  },
  { name: 'historyTokens', label: 'Tokens of the conversation in a call', kind: 'number', isRequired: true },
  { name: 'maxSteps', label: 'Calls of the model in one turn', kind: 'number', isRequired: true },
  { name: 'timeoutSeconds', label: 'Seconds for one turn', kind: 'number', isRequired: true },
];

/** The API refuses a list that has a deleted thing. */
const TAKE_OUT = `${GONE}. Take it out before you choose others`;

export interface AgentChoices {
  models: readonly ModelChoice[];
  tools: readonly Usable[];
  servers: readonly Usable[];
}

/** Reads all models, tools and MCP connections that an agent of the project can use. */
export function useAgentChoices(): { data: AgentChoices | undefined; error: Error | null } {
  const { projectId } = useApp();
  const tools = useQuery({ ...toolsOptions(projectId), select: usableTools });
  const servers = useQuery({
    queryKey: ['mcp-connections-to-choose', projectId],
    queryFn: () => readServers(projectId),
  });
  const { data, error } = choicesOf({ ...useModelReads(), tools, servers });
  return { data: data && { ...data, models: modelChoices(data.connections, data.models) }, error };
}

/** The fields of the form that creates an agent. */
export function fieldsToCreate({ models, tools, servers }: AgentChoices): AgentField[] {
  const usable = models.filter(({ isUsable }) => isUsable);
  return [NAME, INSTRUCTIONS, WELCOME, modelField(usable), ...usableFields(tools, servers)];
}

/** The fields of the form that changes an agent. They offer what it uses already, even if that is gone. */
export function fieldsToChange({ models, tools, servers }: AgentChoices, agent: Agent): AgentField[] {
  const present = choiceOf(models, agent);
  const others = models.filter(({ value, isUsable }) => isUsable && value !== present.value);
  const more = usableFields(
    withGone(tools, agent.toolIds, TAKE_OUT),
    withGone(servers, agent.mcpConnectionIds, TAKE_OUT),
  );
  return [NAME, INSTRUCTIONS, WELCOME, modelField([present, ...others]), ...more, ...LIMITS];
}

/** Returns the members that name the chosen model, which is one choice for people and one of several members for the API. */
export function withModel<Body extends { model?: unknown }>({ model, ...members }: Body, { models }: AgentChoices) {
  return { ...members, ...models.find(({ value }) => value === model)?.members };
}

function modelField(choices: readonly Pick<ModelChoice, 'value' | 'label'>[]): AgentField {
  return {
    name: 'model',
    label: 'Model',
    values: choices.map(({ value }) => value),
    names: Object.fromEntries(choices.map(({ value, label }) => [value, label])),
    hint: 'The model that answers. The built-in mock repeats the message, and calls no provider.',
  };
}

/** A project without tools or MCP connections has no field for them. */
function usableFields(tools: readonly Usable[], servers: readonly Usable[]): AgentField[] {
  const fields: AgentField[] = [
    severalOf(tools, { name: 'toolIds', label: 'Tools', hint: 'The agent may call these tools.' }),
    severalOf(servers, {
      name: 'mcpConnectionIds',
      label: 'MCP connections',
      hint: 'The agent may call the tools of these servers.',
    }),
  ];
  return fields.filter(({ values }) => values!.length > 0);
}

function severalOf(usable: readonly Usable[], field: AgentField): AgentField {
  const names = Object.fromEntries(usable.map(({ id, label }) => [id, label]));
  return { ...field, kind: 'several', values: Object.keys(names), names, none: [] };
}

function usableTools(tools: readonly Schemas['Tool'][]): Usable[] {
  return tools.map(({ toolId, toolName, status }) => ({
    id: toolId,
    label: status === 'DEPLOYED' ? toolName : `${toolName} (not deployed)`,
  }));
}

async function readServers(projectId: string): Promise<Usable[]> {
  const params = { path: { projectId } };
  const servers = await readAll((cursor) =>
    pageOf(api.GET(MCP_CONNECTIONS, { params: { ...params, query: { limit: 100, cursor } } })),
  );
  return servers.map(({ mcpConnectionId, name, status }) => ({
    id: mcpConnectionId,
    label: status === 'ACTIVE' ? name : `${name} (inactive)`,
  }));
}
