import type { ToolToInstall } from '../tools/definitions/tool-installs.service.js';

/** The tool of the examples in the OpenAPI document. With the example request it returns the example response. */
export const DEMO_TOOL: ToolToInstall = {
  name: 'Find an order',
  tool: {
    schemaVersion: '1.0',
    tool: {
      name: 'find_order',
      description: 'Finds an order by its number.',
      inputSchema: {
        type: 'object',
        properties: { orderId: { type: 'string', description: 'The number of the order' } },
        required: ['orderId'],
      },
    },
  },
  flow: {
    schemaVersion: '1.0',
    callflows: [
      {
        id: 'main',
        name: 'Main',
        nodes: [
          { id: 'start', type: 'start' },
          { id: 'end', type: 'end', output: { total: 42 } },
        ],
        edges: [{ from: 'start', to: 'end' }],
      },
    ],
  },
};
