import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.js';

export const SUBSCRIPTIONS = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';
export const SUBSCRIPTION = '/api/admin/v1/webhook-subscriptions/{subscriptionId}';

/** The events of which a receiver can be told. */
export const EVENTS: readonly Schemas['CreateWebhookSubscriptionInput']['events'][number][] = [
  'agent.response',
  'agent.status',
  'agent.media',
];

export const subscriptionOptions = (subscriptionId: string) =>
  queryOptions({
    queryKey: ['subscription', subscriptionId],
    queryFn: () => dataOf(api.GET(SUBSCRIPTION, { params: { path: { subscriptionId } } })),
  });
