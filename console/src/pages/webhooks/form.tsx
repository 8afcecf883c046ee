import { Text } from '@mantine/core';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeForm } from '../../parts/change-form.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { EVENTS, SUBSCRIPTION, SUBSCRIPTIONS } from './requests.js';

type Subscription = Schemas['WebhookSubscription'];
type NewSubscription = Schemas['CreateWebhookSubscriptionInput'];

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
  { name: 'events', label: 'Events', kind: 'several', values: EVENTS, none: [] },
];

interface NewSubscriptionFormProps {
  onDone: (subscription?: Schemas['NewWebhookSubscription']) => void;
}

/** Creates a subscription of the app. Only the answer has its secret. */
export function NewSubscriptionForm({ onDone }: NewSubscriptionFormProps) {
  const { projectId, appId } = useApp();
  const create = (texts: Texts) => {
    const body = { ...filledIn<NewSubscription>(FIELDS, texts), appId };
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

/** Changes a subscription, which keeps its secret and its deliveries. */
export function ChangeSubscriptionForm({ of, onDone }: { of: Subscription; onDone: () => void }) {
  const params = { path: { subscriptionId: of.subscriptionId } };
  return (
    <ChangeForm
      label="Change the subscription"
      fields={FIELDS}
      of={of}
      change={(body) => api.PATCH(SUBSCRIPTION, { params, body })}
      onDone={onDone}
    >
      <Text size="sm">
        The secret and the deliveries stay. Callbacks that are still to be sent go to the receiver that you save.
      </Text>
    </ChangeForm>
  );
}
