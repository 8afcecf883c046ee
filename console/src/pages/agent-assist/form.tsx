import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { ChangeForm } from '../../parts/change-form.js';
import { type Field, FieldsForm, filledIn, NAME, type Texts } from '../../parts/fields-form.js';
import { GONE, type Usable, withGone } from '../../parts/usable.js';
import { type BotChoices, useBotChoices } from './choices.js';
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
    const body = filledIn<Schemas['CreateBotInput']>(fields, texts);
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
  // The form goes on offering what the bot used when it was opened.
  const [begunWith] = useState(of);
  const params = { path: { botId: of.botId } };
  return (
    <Awaited of={read}>
      {(choices) => (
        <ChangeForm
          label="Change the bot"
          fields={fieldsOf(choices, begunWith)}
          of={begunWith}
          change={(body) => api.PATCH(BOT, { params, body })}
          onDone={onDone}
        />
      )}
    </Awaited>
  );
}

/** Returns the fields, which offer what the bot uses already, even if that is gone. */
function fieldsOf({ connectionId, agentId, subscriptionId }: BotChoices, bot?: Bot): BotField[] {
  return [
    NAME,
    oneOf(withGone(connectionId, usedIn(bot?.connectionId)), {
      name: 'connectionId',
      label: 'Connection',
      hint: 'Its model writes the summaries. Without one, the model of the agent does.',
    }),
    oneOf(withGone(agentId, usedIn(bot?.agentId), `${GONE}, or belongs to another app`), {
      name: 'agentId',
      label: 'Agent',
      hint: 'This agent of the app proposes replies to messages of customers.',
    }),
    oneOf(withGone(subscriptionId, usedIn(bot?.subscriptionId)), {
      name: 'subscriptionId',
      label: 'Webhook subscription',
      hint: 'It gets the proposed replies, if its events include agent.response.',
    }),
    STRICT,
  ];
}

function usedIn(id: string | null | undefined): string[] {
  return id ? [id] : [];
}

function oneOf(usable: readonly Usable[], field: BotField): BotField {
  const offered = [{ id: '', label: 'None' }, ...usable];
  const names = Object.fromEntries(offered.map(({ id, label }) => [id, label]));
  return { ...field, values: offered.map(({ id }) => id), names };
}
