export const MCP_CONNECTIONS = '/api/admin/v1/projects/{projectId}/mcp-connections';
export const MCP_CONNECTION = `${MCP_CONNECTIONS}/{mcpConnectionId}` as const;
