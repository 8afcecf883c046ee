import { Stack } from '@mantine/core';
import { useState } from 'react';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { CreatingPage } from '../../parts/creating-page.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { chosenFrom, type Filter, useFilters, useOpen } from '../../parts/use-filters.js';
import { NewSubscriptionForm } from './form.js';
import { SUBSCRIPTIONS } from './requests.js';
import { stateOf } from './state.js';
import { SubscriptionPage } from './subscription.js';

type NewSubscription = Schemas['NewWebhookSubscription'];

const SORTS = sortsOf<typeof SUBSCRIPTIONS>({ createdAt: 'desc', modifiedAt: 'desc', displayName: 'asc' });
/** The page of a subscription, at the same address, filters its deliveries by their status. */
const FILTERS: readonly Filter<QueryOf<typeof SUBSCRIPTIONS>>[] = [
  { name: 'status', at: 'subscriptionStatus', label: 'Status', values: ['ACTIVE', 'DISABLED'] },
];

export default function WebhooksPage() {
  const { projectId, appId } = useApp();
  const [filters, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  const [made, setMade] = useState<NewSubscription | null>(null);
  if (filters.subscription) {
    const close = () => change({ subscription: undefined, delivery: undefined });
    return <SubscriptionPage subscriptionId={filters.subscription} onClose={close} />;
  }
  const path = filled(SUBSCRIPTIONS, { projectId });
  const chosen = chosenFrom(filters, FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  return (
    <CreatingPage
      title="Webhooks"
      noun="subscription"
      request={{ path, query, access: 'administration' }}
      form={(close) => (
        <NewSubscriptionForm
          onDone={(subscription) => {
            if (subscription) setMade(subscription);
            close();
          }}
        />
      )}
    >
      {made && (
        <Stack gap="xs" align="flex-start">
          <ShownOnce
            what={`The secret of ${made.displayName}`}
            secret={made.secret}
            remedy="Rotate the secret of the subscription to get another one."
            onClose={() => setMade(null)}
          />
          <button type="button" className="link" onClick={() => open({ subscription: made.subscriptionId })}>
            Show the subscription
          </button>
        </Stack>
      )}
      <FilterBar filters={FILTERS} />
      <List
        label="Subscriptions"
        of={['subscriptions', projectId, chosen]}
        sorting={sorting}
        read={(cursor) =>
          pageOf(api.GET(SUBSCRIPTIONS, { params: { path: { projectId }, query: { ...query, cursor } } }))
        }
        idOf={({ subscriptionId }) => subscriptionId}
        onOpen={({ subscriptionId }) => open({ subscription: subscriptionId })}
        columns={[
          { title: 'Name', cell: ({ displayName }) => displayName, sortBy: 'displayName' },
          { title: 'Receiver', cell: ({ callbackUrl }) => callbackUrl },
          { title: 'Environment', cell: ({ environment }) => environment },
          { title: 'Status', cell: (subscription) => <Status of={stateOf(subscription)} /> },
          { title: 'Failing since', cell: ({ failingSince }) => formatTime(failingSince), kind: 'time' },
        ]}
        chosen={chosen}
        empty={{
          text: 'No receiver gets callbacks of this project yet. Create a subscription above, or with this request:',
          request: {
            method: 'POST',
            path,
            access: 'administration',
            body: {
              appId,
              displayName: 'Web chat',
              callbackUrl: 'https://example.com/callbacks',
              environment: 'production',
              events: ['agent.response'],
            },
          },
        }}
      />
    </CreatingPage>
  );
}
