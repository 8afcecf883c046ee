import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { SUBSCRIPTIONS } from './requests.js';

type NewSubscription = Schemas['CreateWebhookSubscriptionInput'];

const EVENTS: readonly NewSubscription['events'][number][] = ['agent.response', 'agent.status', 'agent.media'];
const FIELDS: readonly Field<keyof NewSubscription>[] = [
  { name: 'displayName', label: 'Name', isRequired: true },
  {
    name: 'callbackUrl',
    label: 'Receiver',
    isRequired: true,
    hint: 'The callback URL, such as https://example.com/callbacks',
  },
  {
    name: 'environment',
    label: 'Environment',
    values: ENVIRONMENTS,
    hint: 'The receiver gets what the agent of this environment answers.',
  },
  { name: 'events', label: 'Events', kind: 'several', values: EVENTS },
];

interface NewSubscriptionFormProps {
  onDone: (subscription?: Schemas['NewWebhookSubscription']) => void;
}

/** Creates a subscription of the app. Only the answer has its secret. */
export function NewSubscriptionForm({ onDone }: NewSubscriptionFormProps) {
  const { projectId, appId } = useApp();
  const create = (texts: Texts) => {
    const body = { appId, ...filledIn(FIELDS, texts) } as NewSubscription;
    return dataOf(api.POST(SUBSCRIPTIONS, { params: { path: { projectId } }, body }));
  };
  return (
    <FieldsForm
      label="Create a subscription"
      fields={FIELDS}
      shown={{ environment: 'production', events: '["agent.response"]' }}
      save={create}
      onDone={onDone}
    />
  );
}
