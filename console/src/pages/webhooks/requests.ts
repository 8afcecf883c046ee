import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';

export const SUBSCRIPTIONS = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';
export const SUBSCRIPTION = '/api/admin/v1/webhook-subscriptions/{subscriptionId}';

export const subscriptionOptions = (subscriptionId: string) =>
  queryOptions({
    queryKey: ['subscription', subscriptionId],
    queryFn: () => dataOf(api.GET(SUBSCRIPTION, { params: { path: { subscriptionId } } })),
  });
