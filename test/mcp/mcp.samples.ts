import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'POST /mcp': () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
};
