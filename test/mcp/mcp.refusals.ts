import type { Refusals } from '../support/samples.js';

const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const refusals: Refusals = {
  MCP_ORIGIN_REFUSED: ({ tenant }) =>
    tenant.api.send('POST', '/mcp', { headers: { origin: 'https://stranger.example' }, body }),
  MCP_VERSION_NOT_SUPPORTED: ({ tenant }) =>
    tenant.api.send('POST', '/mcp', {
      headers: { 'mcp-protocol-version': '1999-01-01' },
      body,
    }),
};
