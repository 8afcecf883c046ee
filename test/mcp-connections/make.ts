import { administratorOf, type Tenant, uniqueName } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Target } from '../support/service.js';

export interface McpConnectionBody {
  mcpConnectionId: string;
  name: string;
  url: string;
  status: string;
  headers: { key: string; value: string }[];
  allowedTools: string[] | null;
  authProfile: string | null;
  timeoutMs: number;
}

export interface McpToolsBody {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
  omitted: { name: string; reason: string }[];
}

type Data<Body> = Promise<Answer<{ data: Body }>>;

export function pathOf({ projectId }: Tenant, mcpConnectionId = ''): string {
  const path = `/api/admin/v1/projects/${projectId}/mcp-connections`;
  return mcpConnectionId ? `${path}/${mcpConnectionId}` : path;
}

export function create(target: Target, tenant: Tenant, given: object): Data<McpConnectionBody> {
  return administratorOf(target).post(pathOf(tenant), { name: uniqueName('server'), ...given });
}

/** Creates a connection, and throws an error with the answer if that fails. */
export async function makeMcpConnection(target: Target, tenant: Tenant, given: object): Promise<McpConnectionBody> {
  const { status, text, body } = await create(target, tenant, given);
  if (status !== 201) throw new Error(`No MCP connection was made: ${text}`);
  return body.data;
}

export function change(target: Target, tenant: Tenant, id: string, changes: object): Data<McpConnectionBody> {
  return administratorOf(target).patch(pathOf(tenant, id), changes);
}

export function toolsOf(target: Target, tenant: Tenant, id: string): Data<McpToolsBody> {
  return administratorOf(target).get(`${pathOf(tenant, id)}/tools`);
}
