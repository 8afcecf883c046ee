import { api, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { Status } from '../../parts/status.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { stateOf } from './state.js';
import { SubscriptionPage } from './subscription.js';

const PATH = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';

export default function WebhooksPage() {
  const { projectId, appId } = useApp();
  const [filters, change] = useFilters();
  const open = useOpen();
  if (filters.subscription) {
    const close = () => change({ subscription: undefined, delivery: undefined });
    return <SubscriptionPage subscriptionId={filters.subscription} onClose={close} />;
  }
  const path = filled(PATH, { projectId });
  return (
    <Page title="Webhooks" request={{ path, access: 'administration' }}>
      <List
        label="Subscriptions"
        of={['subscriptions', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ subscriptionId }) => subscriptionId}
        onOpen={({ subscriptionId }) => open({ subscription: subscriptionId })}
        columns={[
          { title: 'Name', cell: ({ displayName }) => displayName },
          { title: 'Receiver', cell: ({ callbackUrl }) => callbackUrl },
          { title: 'Environment', cell: ({ environment }) => environment },
          { title: 'Status', cell: (subscription) => <Status of={stateOf(subscription)} /> },
          { title: 'Failing since', cell: ({ failingSince }) => formatTime(failingSince) },
        ]}
        empty={{
          text: 'No receiver gets callbacks of this project yet. Create a subscription:',
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
    </Page>
  );
}
