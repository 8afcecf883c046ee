import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { changedIn, type Field, FieldsForm, filledIn, NAME, type Texts, textsOf } from '../../parts/fields-form.js';
import { type BotChoices, type Usable, useBotChoices } from './choices.js';
import { BOT, BOTS } from './requests.js';

type Bot = Schemas['Bot'];
type BotField = Field<keyof Schemas['CreateBotInput']>;

const STRICT: BotField = {
  name: 'strict',
  label: 'Refuse events that come out of order',
  kind: 'flag',
  hint: 'Otherwise they are stored, and marked as violations.',
  none: false,
};

interface NewBotFormProps {
  onDone: (botId?: string) => void;
}

export function NewBotForm({ onDone }: NewBotFormProps) {
  const read = useBotChoices();
  return <Awaited of={read}>{(choices) => <CreateForm choices={choices} onDone={onDone} />}</Awaited>;
}

function CreateForm({ choices, onDone }: NewBotFormProps & { choices: BotChoices }) {
  const { projectId } = useApp();
  const fields = fieldsOf(choices);
  const create = async (texts: Texts) => {
    const body = filledIn(fields, texts) as Schemas['CreateBotInput'];
    return (await dataOf(api.POST(BOTS, { params: { path: { projectId } }, body }))).botId;
  };
  return <FieldsForm label="Create a bot" fields={fields} save={create} onDone={onDone} />;
}

interface ChangeBotFormProps {
  of: Bot;
  onDone: () => void;
}

export function ChangeBotForm({ of, onDone }: ChangeBotFormProps) {
  const read = useBotChoices();
  return <Awaited of={read}>{(choices) => <ChangeForm of={of} choices={choices} onDone={onDone} />}</Awaited>;
}

function ChangeForm({ of, choices, onDone }: ChangeBotFormProps & { choices: BotChoices }) {
  // The page reads the bot again, and what others change meanwhile is none of the user's changes.
  const [begunWith] = useState(of);
  const fields = fieldsOf(choices, begunWith);
  const shown = textsOf(fields, begunWith);
  const change = (texts: Texts) =>
    api.PATCH(BOT, { params: { path: { botId: of.botId } }, body: changedIn(fields, shown, texts) });
  return <FieldsForm label="Change the bot" fields={fields} shown={shown} save={change} onDone={onDone} />;
}

/** Returns the fields, which offer what the bot uses already, even if that is gone. */
function fieldsOf({ connectionId, agentId, subscriptionId }: BotChoices, bot?: Bot): BotField[] {
  return [
    NAME,
    oneOf(connectionId, bot?.connectionId, {
      name: 'connectionId',
      label: 'Connection',
      hint: 'Its model writes the summaries. Without one, the model of the agent does.',
    }),
    oneOf(agentId, bot?.agentId, {
      name: 'agentId',
      label: 'Agent',
      hint: 'This agent of the app proposes replies to messages of customers.',
    }),
    oneOf(subscriptionId, bot?.subscriptionId, {
      name: 'subscriptionId',
      label: 'Webhook subscription',
      hint: 'It gets the proposed replies, if its events include agent.response.',
    }),
    STRICT,
  ];
}

function oneOf(usable: readonly Usable[], present: string | null | undefined, field: BotField): BotField {
  const isOther = typeof present === 'string' && !usable.some(({ id }) => id === present);
  const other = isOther ? [{ id: present, label: `${present} (deleted, or of another app)` }] : [];
  const offered = [{ id: '', label: 'None' }, ...usable, ...other];
  const names = Object.fromEntries(offered.map(({ id, label }) => [id, label]));
  return { ...field, values: offered.map(({ id }) => id), names };
}
