export const SUBSCRIPTIONS = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';
export const SUBSCRIPTION = '/api/admin/v1/webhook-subscriptions/{subscriptionId}';
