import type { ToolToInstall } from '../tools/definitions/tool-installs.service.js';

/** The tool that the examples of the API's document speak of: executed with them, it answers what they show. */
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
