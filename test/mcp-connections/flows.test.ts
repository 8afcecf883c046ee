import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf } from '../tools/make.js';
import { makeMcpConnection } from './make.js';
import { McpDouble } from './mcp-double.js';

const service = await startService();
const double = await McpDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});
beforeEach(() => double.faults.clear());

async function runOf(node: object, given: object = {}) {
  const tenant: Tenant = await makeTenant(service);
  const { mcpConnectionId: connectionId } = await makeMcpConnection(service, tenant, { url: double.url, ...given });
  const toolId = await deployedTool(tenant, { flow: flowOf([{ id: 'ask', type: 'mcp', connectionId, ...node }]) });
  return (await execute(tenant, toolId, { word: 'Hello' })).body;
}

it('a flow calls a tool of an MCP server with an input of templates', async () => {
  expect(await runOf({ tool: 'echo', input: { text: '{{ input.word }}' } })).toMatchObject({
    status: 'completed',
    output: { text: 'Echo: Hello', structured: null },
  });
  expect(await runOf({ tool: 'data' })).toMatchObject({ output: { text: '{"n":7}', structured: { n: 7 } } });
});

it('a node waits for a server that is away for a moment, and calls again', async () => {
  double.faults.set('tools/call', 'hangup');
  const before = double.times('tools/call');
  const running = runOf({ tool: 'count', retry: { attempts: 10, delayMs: 50 } });
  await eventually(
    async () => double.times('tools/call'),
    (times) => times > before,
  );
  double.faults.clear();
  expect(await running).toMatchObject({ status: 'completed' });
});

it.each([
  [{ tool: 'fail' }, {}, 'MCP_TOOL_FAILED'],
  [{ tool: 'count' }, { allowedTools: ['echo'] }, 'MCP_TOOL_NOT_OFFERED'],
  [{ tool: 'count' }, { status: 'INACTIVE' }, 'MCP_CONNECTION_MISSING'],
  [{ tool: 'count', connectionId: 'mc-unknown' }, {}, 'MCP_CONNECTION_MISSING'],
  [{ tool: 'large' }, {}, 'MCP_ANSWER_TOO_LARGE'],
])('a run fails with the reason of the server: %j %j', async (node, given, code) => {
  expect(await runOf(node, given)).toMatchObject({ status: 'failed', error: { code } });
});
