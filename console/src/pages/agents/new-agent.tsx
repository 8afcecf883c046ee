import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { type Field, FieldsForm, filledIn, NAME, type Texts } from '../../parts/fields-form.js';
import { type ModelChoice, modelChoiceOptions } from './model-choice.js';
import { AGENTS } from './reading.js';

type NewAgent = Schemas['CreateAgentInput'];

const TEXTS: readonly Field<keyof NewAgent>[] = [
  NAME,
  {
    name: 'instructions',
    label: 'Instructions',
    kind: 'lines',
    isRequired: true,
    hint: 'The purpose of the agent, and how it is to answer',
  },
  { name: 'welcomeMessage', label: 'Welcome message', kind: 'lines', hint: 'The first message of each session' },
];

interface NewAgentFormProps {
  onDone: (agentId?: string) => void;
}

export function NewAgentForm({ onDone }: NewAgentFormProps) {
  const { projectId } = useApp();
  const read = useQuery(modelChoiceOptions(projectId));
  return <Awaited of={read}>{(choices) => <CreateForm choices={choices} onDone={onDone} />}</Awaited>;
}

/** Creates an agent. The model is one choice for people, and one of several members for the API. */
function CreateForm({ choices, onDone }: NewAgentFormProps & { choices: readonly ModelChoice[] }) {
  const { appId } = useApp();
  const model: Field<keyof NewAgent> = {
    name: 'model',
    label: 'Model',
    values: choices.map(({ value }) => value),
    names: Object.fromEntries(choices.map(({ value, label }) => [value, label])),
    hint: 'The model that answers. The built-in mock repeats the message, and calls no provider.',
  };
  const create = async (texts: Texts) => {
    // The form shows the first choice until another one is made, and when the one that was made is gone.
    const chosen = choices.find(({ value }) => value === texts.model) ?? choices[0];
    const body = { ...filledIn(TEXTS, texts), ...chosen?.members } as NewAgent;
    return (await dataOf(api.POST(AGENTS, { params: { path: { appId } }, body }))).agentId;
  };
  return <FieldsForm label="Create an agent" fields={[...TEXTS, model]} save={create} onDone={onDone} />;
}
