import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { isGone } from '../../api/queries.js';
import { ChangeActions } from '../../parts/change-actions.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { CopyCurl } from '../../parts/copy-curl.js';
import { Awaited } from '../../parts/awaited.js';
import { Facts } from '../../parts/facts.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { JsonText, readableJson } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Refusals } from '../../parts/refusals.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { Status } from '../../parts/status.js';
import { useAction } from '../../parts/use-action.js';
import { useDeletion } from '../../parts/use-deletion.js';
import { chosenFrom, type Filter, useFilters, useOpen } from '../../parts/use-filters.js';
import { ChangeSubscriptionForm } from './form.js';
import { EVENTS, SUBSCRIPTION, subscriptionOptions } from './requests.js';
import { stateOf } from './state.js';

const DELIVERY = '/api/admin/v1/deliveries/{deliveryId}';
const DELIVERIES = `${SUBSCRIPTION}/deliveries` as const;
const FILTERS: readonly Filter<QueryOf<typeof DELIVERIES>>[] = [
  { name: 'status', label: 'Status', values: ['PENDING', 'DELIVERED', 'FAILED'] },
  { name: 'event', label: 'Event', values: EVENTS },
];

/** A subscription with its deliveries. */
export function SubscriptionPage({ subscriptionId, onClose }: { subscriptionId: string; onClose: () => void }) {
  const [filters, change] = useFilters();
  const open = useOpen();
  const params = { path: { subscriptionId } };
  const chosen = chosenFrom(filters, FILTERS);
  const { data: subscription, error } = useQuery({
    ...subscriptionOptions(subscriptionId),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={subscription?.displayName ?? 'Subscription'}
      request={{ path: filled(SUBSCRIPTION, { subscriptionId }), access: 'administration' }}
      back={{ label: 'All subscriptions', go: onClose }}
    >
      <Awaited of={{ data: subscription, error }}>{(found) => <Subscription of={found} onGone={onClose} />}</Awaited>
      {!isGone(error) && (
        <>
          <Title order={2} size="h4">
            Deliveries
          </Title>
          <Group align="end" justify="space-between">
            <FilterBar filters={FILTERS} />
            <CopyCurl
              label="Copy the deliveries as cURL"
              request={{ path: filled(DELIVERIES, { subscriptionId }), query: chosen, access: 'administration' }}
            />
          </Group>
          <List
            label="Deliveries"
            of={['deliveries', subscriptionId, chosen]}
            read={(cursor) => {
              const query = { ...chosen, cursor };
              return pageOf(api.GET(DELIVERIES, { params: { ...params, query } }));
            }}
            idOf={({ deliveryId }) => deliveryId}
            onOpen={({ deliveryId }) => open({ delivery: deliveryId })}
            opened={filters.delivery}
            columns={[
              { title: 'Delivery', cell: ({ deliveryId }) => deliveryId, kind: 'id' },
              { title: 'Event', cell: ({ event }) => event },
              { title: 'Status', cell: ({ status }) => <Status of={status} /> },
              { title: 'Attempts', cell: ({ attemptCount }) => attemptCount, kind: 'number' },
              { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time' },
              { title: 'Last error', cell: ({ lastError }) => lastError },
            ]}
            chosen={chosen}
            empty={{
              text: 'There is no delivery yet. A test callback makes one:',
              request: {
                method: 'POST',
                path: filled(`${SUBSCRIPTION}/test`, { subscriptionId }),
                access: 'administration',
                body: { event: 'agent.response' },
              },
            }}
          />
        </>
      )}
      {filters.delivery && (
        <DeliveryPanel
          key={filters.delivery}
          deliveryId={filters.delivery}
          isDisabled={subscription?.status === 'DISABLED'}
          pausedUntil={subscription?.pausedUntil ?? null}
          onClose={() => change({ delivery: undefined })}
        />
      )}
    </Page>
  );
}

function Subscription({ of, onGone }: { of: Schemas['WebhookSubscription']; onGone: () => void }) {
  const [secret, setSecret] = useState<string | null>();
  const [replayed, setReplayed] = useState<number | null>(null);
  const params = { path: { subscriptionId: of.subscriptionId } };
  const test = useAction(() => api.POST(`${SUBSCRIPTION}/test`, { params, body: { event: 'agent.response' } }));
  const replay = useAction(async () => {
    setReplayed((await dataOf(api.POST(`${SUBSCRIPTION}/replay-failed`, { params, body: {} }))).deliveries);
  });
  const isDisabled = of.status === 'DISABLED';
  const setStatus = useAction(() =>
    api.PATCH(SUBSCRIPTION, { params, body: { status: isDisabled ? 'ACTIVE' : 'DISABLED' } }),
  );
  const rotate = useAction(async () => {
    setSecret((await dataOf(api.POST(`${SUBSCRIPTION}/rotate-secret`, { params, body: {} }))).secret);
  });
  const deletion = useDeletion({ subscription: of.subscriptionId }, () => api.DELETE(SUBSCRIPTION, { params }), onGone);
  return (
    <Stack>
      <Facts
        of={{
          Id: of.subscriptionId,
          Receiver: of.callbackUrl,
          Status: <Status of={stateOf(of)} />,
          Reason: of.disabledReason,
          Events: of.events.join(', '),
          Environment: of.environment,
          'Failing since': of.failingSince && formatTime(of.failingSince),
          'Paused until': of.pausedUntil && formatTime(of.pausedUntil),
        }}
      />
      <ChangeActions
        form={(close) => <ChangeSubscriptionForm of={of} onDone={close} />}
        actions={[test, replay, setStatus, rotate, deletion]}
      >
        <ChangeButton disabled={isDisabled} loading={test.isPending} onClick={() => test.mutate()}>
          Send a test callback
        </ChangeButton>
        {isDisabled ? (
          <ChangeButton loading={setStatus.isPending} onClick={() => setStatus.mutate()}>
            Enable
          </ChangeButton>
        ) : (
          <ConfirmButton label="Disable" isBusy={setStatus.isPending} onConfirm={() => setStatus.mutate()} />
        )}
        <ConfirmButton
          label="Replay all failed"
          isBusy={replay.isPending}
          isDisabled={isDisabled}
          onConfirm={() => replay.mutate()}
        />
        <ConfirmButton
          label="Rotate the secret"
          warning="Callbacks also have a signature with the present secret for one more day. Give the receiver the new one by then."
          isBusy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
        />
        <ConfirmButton
          label="Delete"
          warning="Deliveries that are still to be sent fail."
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
        />
      </ChangeActions>
      {isDisabled && <EnableFirst />}
      {test.isSuccess && (
        <Text role="status">The test callback was queued. The deliveries below show what became of it.</Text>
      )}
      {replayed !== null && <Text role="status">Failed deliveries that are sent again: {formatNumber(replayed)}</Text>}
      {secret !== undefined && (
        <ShownOnce
          what="The secret"
          secret={secret}
          remedy="Rotate the secret once more to get another one."
          onClose={() => setSecret(undefined)}
        />
      )}
    </Stack>
  );
}

/** Says why the buttons that send are disabled. The service would refuse what they ask for. */
function EnableFirst() {
  return <Text size="sm">Nothing is sent to a disabled subscription. Enable it first, then test or replay.</Text>;
}

interface DeliveryPanelProps {
  deliveryId: string;
  /** Whether its subscription is disabled. */
  isDisabled: boolean;
  /** The end of a pause of the receiver, before which nothing is sent to it. */
  pausedUntil: string | null;
  onClose: () => void;
}

function DeliveryPanel({ deliveryId, isDisabled, pausedUntil, onClose }: DeliveryPanelProps) {
  const params = { path: { deliveryId } };
  const { data: delivery, error } = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () => dataOf(api.GET(DELIVERY, { params })),
    refetchInterval: REFRESH_MS,
  });
  const replay = useAction(() => api.POST(`${DELIVERY}/replay`, { params }));
  return (
    <ReadPanel
      title={`Delivery ${deliveryId}`}
      request={{ path: filled(DELIVERY, { deliveryId }), access: 'administration' }}
      data={delivery}
      error={error}
      onClose={onClose}
    >
      {(delivery) => (
        <>
          <Facts
            of={{
              Event: delivery.event,
              Status: <Status of={delivery.status} />,
              Message: delivery.messageId,
              'Next attempt': delivery.nextAttemptAt && formatTime(laterOf(delivery.nextAttemptAt, pausedUntil)),
            }}
          />
          {delivery.status !== 'PENDING' && (
            <>
              <ChangeButton
                w="max-content"
                disabled={isDisabled}
                loading={replay.isPending}
                onClick={() => replay.mutate()}
              >
                Replay
              </ChangeButton>
              {isDisabled && <EnableFirst />}
            </>
          )}
          <Refusals of={[replay]} />
          <JsonText title="Request body of each attempt" value={readableJson(delivery.body)} />
          {delivery.attempts.map(({ number, at, request, status, latencyMs, error: reason, answer }) => (
            <section key={number} aria-label={`Attempt ${number}`}>
              <Facts
                of={{
                  Attempt: number,
                  Time: formatTime(at),
                  Address: request?.url,
                  Status: status,
                  Duration: formatDuration(latencyMs),
                  Error: reason,
                }}
              />
              <JsonText title={`Headers of attempt ${number}`} value={request?.headers} />
              <JsonText title={`Answer to attempt ${number}`} value={readableJson(answer)} />
            </section>
          ))}
        </>
      )}
    </ReadPanel>
  );
}

/** Nothing is sent before the end of a pause. */
function laterOf(attempt: string, pausedUntil: string | null): string {
  return pausedUntil !== null && pausedUntil > attempt ? pausedUntil : attempt;
}
