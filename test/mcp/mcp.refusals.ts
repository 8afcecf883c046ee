import type { Refusals } from '../support/samples.js';

export const refusals: Refusals = {
  MCP_VERSION_NOT_SUPPORTED: ({ tenant }) =>
    tenant.api.send('POST', '/mcp', {
      headers: { 'mcp-protocol-version': '1999-01-01' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    }),
};
