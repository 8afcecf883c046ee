export const CONNECTIONS = '/api/admin/v1/projects/{projectId}/connections';
export const CONNECTION = `${CONNECTIONS}/{connectionId}` as const;
