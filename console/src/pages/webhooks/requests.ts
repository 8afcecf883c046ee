export const SUBSCRIPTIONS = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';
