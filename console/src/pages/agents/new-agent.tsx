import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { type AgentChoices, fieldsToCreate, useAgentChoices, withModel } from './fields.js';
import { AGENTS } from './requests.js';

interface NewAgentFormProps {
  onDone: (agentId?: string) => void;
}

export function NewAgentForm({ onDone }: NewAgentFormProps) {
  const read = useAgentChoices();
  return <Awaited of={read}>{(choices) => <CreateForm choices={choices} onDone={onDone} />}</Awaited>;
}

function CreateForm({ choices, onDone }: NewAgentFormProps & { choices: AgentChoices }) {
  const { appId } = useApp();
  const fields = fieldsToCreate(choices);
  const create = async (texts: Texts) => {
    const body = withModel(filledIn<Schemas['CreateAgentInput']>(fields, texts), choices);
    return (await dataOf(api.POST(AGENTS, { params: { path: { appId } }, body }))).agentId;
  };
  return <FieldsForm label="Create an agent" fields={fields} save={create} onDone={onDone} />;
}
