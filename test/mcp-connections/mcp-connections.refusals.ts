import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import type { Refusals } from '../support/samples.js';
import { makeMcpConnection, pathOf, toolsOf } from './make.js';

/** Nothing listens at this address. */
const url = 'http://127.0.0.1:1/mcp';

export const refusals: Refusals = {
  MCP_CONNECTION_NOT_FOUND: ({ service, tenant }) =>
    administratorOf(service).get(pathOf(tenant, newId('mcpConnection'))),
  MCP_CONNECTION_UNREADABLE: async ({ service, tenant }) => {
    const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url });
    await service.database.rows(`update mcp_connection set headers_sealed = 'v1.9.AAAA.AAAA' where id = $1`, [id]);
    return toolsOf(service, tenant, id);
  },
  MCP_SERVER_FAILED: async ({ service, tenant }) => {
    const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url });
    return toolsOf(service, tenant, id);
  },
};
