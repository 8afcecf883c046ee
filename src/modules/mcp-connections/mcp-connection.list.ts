import { z } from 'zod';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { McpConnection, MCP_STATUSES } from './mcp-connection.entity.js';

export const mcpConnectionList = defineList(McpConnection, {
  sorts: { createdAt: 'id', modifiedAt: 'modifiedAt', name: 'name' },
  filters: { status: z.enum(MCP_STATUSES) },
});
export type McpConnectionsRequest = RequestOf<typeof mcpConnectionList>;
