import { administratorOf, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { envOf, flowOf, importedTool, TOOLS } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
const administrator = administratorOf(service);
afterAll(() => service.stop());

const at = (toolId: string) => `/api/admin/v1/projects/${tenant.projectId}/tools/${toolId}`;

it('a version shows the nodes and edges of its flows, without scripts, templates and variables', async () => {
  const ask = { id: 'ask', type: 'http', name: 'Ask', url: 'https://example.com/canary-{{ env.TOKEN }}' };
  const nodes = [{ id: 'is_odd', type: 'condition', expression: 'input.canary' }, ask];
  const edges = [
    { from: 'is_odd', to: 'end', when: 'false' },
    { from: 'ask', to: 'end', when: 'error' },
  ];
  const env = envOf([{ name: 'TOKEN', value: 'canary', secret: true }]);
  const toolId = await importedTool(tenant, { flow: flowOf(nodes, { edges }), env });
  const { body: tool } = await tenant.api.get<{ versionId: string }>(`${TOOLS}/${toolId}`);
  const { body, text } = await administrator.get<{ data: object }>(`${at(toolId)}/versions/${tool.versionId}`);
  expect(body.data).toEqual({
    versionId: tool.versionId,
    number: 1,
    isOwn: true,
    isDeployed: false,
    callflows: ['main'],
    createdAt: expect.any(String) as string,
    flows: [
      {
        flowId: 'main',
        name: 'Main',
        nodes: [
          { nodeId: 'start', name: null, type: 'start' },
          { nodeId: 'is_odd', name: null, type: 'condition' },
          { nodeId: 'ask', name: 'Ask', type: 'http' },
          { nodeId: 'end', name: null, type: 'end' },
        ],
        edges: [
          { from: 'start', to: 'is_odd', when: 'next' },
          { from: 'is_odd', to: 'ask', when: 'true' },
          { from: 'ask', to: 'end', when: 'next' },
          { from: 'is_odd', to: 'end', when: 'false' },
          { from: 'ask', to: 'end', when: 'error' },
        ],
      },
    ],
  });
  expect(text).not.toContain('canary');
  const other = await importedTool(tenant);
  expect((await administrator.get(`${at(other)}/versions/${tool.versionId}`)).outcome).toBe(
    '404 TOOL_VERSION_NOT_FOUND',
  );
});
