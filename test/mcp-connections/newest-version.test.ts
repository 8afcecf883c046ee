import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf } from '../tools/make.js';
import { makeMcpConnection, toolsOf } from './make.js';
import { McpDouble } from './mcp-double.js';
import { startNewest } from './newest-double.js';

const service = await startService();
const newest = await startNewest();
const older = await McpDouble.start();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await newest.stop();
  await older.stop();
});
beforeEach(() => {
  newest.received.length = 0;
});

const VERSION = '2026-07-28';

async function outputOf(of: Tenant, connectionId: string, tool: string, input: object = {}) {
  const toolId = await deployedTool(of, { flow: flowOf([{ id: 'ask', type: 'mcp', connectionId, tool, input }]) });
  return (await execute(of, toolId)).body;
}

it('a server of the newest version is asked without a handshake and without a session', async () => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: newest.url });
  const { body } = await toolsOf(service, tenant, mcpConnectionId);
  expect(body.data.tools.map(({ name }) => name)).toEqual(['echo', 'größe', 'asks']);
  const run = await outputOf(tenant, mcpConnectionId, 'echo', { text: 'Hello' });
  expect(run).toMatchObject({ status: 'completed', output: { text: 'Echo: Hello', structured: null } });
  const methods = newest.received.map(({ method }) => method);
  expect(methods).toEqual(['server/discover', 'tools/list', 'server/discover', 'tools/call']);
  for (const { headers, method } of newest.received) {
    expect(headers).toMatchObject({ 'mcp-protocol-version': VERSION, 'mcp-method': method });
    expect(headers).not.toHaveProperty('mcp-session-id');
  }
  expect(newest.received.at(-1)!.headers['mcp-name']).toBe('echo');
});

it('a turn calls a tool of a server of the newest version', async () => {
  const own = await makeTenant(service);
  const { mcpConnectionId } = await makeMcpConnection(service, own, { url: newest.url });
  await makeActiveAgent(service, own, { mcpConnectionIds: [mcpConnectionId] });
  const { body } = await say(own, 'one', 'Ask echo to say this');
  expect(body.output[0]!.content).toMatch(/The tool answered: Echo: /);
});

it('a name that a header cannot have is encoded', async () => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: newest.url });
  expect(await outputOf(tenant, mcpConnectionId, 'größe')).toMatchObject({ output: { text: 'Größe' } });
  expect(newest.received.at(-1)!.headers['mcp-name']).toBe('=?base64?Z3LDtsOfZQ==?=');
});

it.each([
  ['asks', 'MCP_TOOL_FAILED', 'The tool asks for more input'],
  ['missing', 'MCP_ERROR', '-32602'],
])('a run fails with the reason of the newest version: %s', async (tool, code, words) => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: newest.url });
  const run = await outputOf(tenant, mcpConnectionId, tool);
  expect(run).toMatchObject({ status: 'failed', error: { code } });
  expect(run.error!.message).toContain(words);
});

it('an older server is asked for its versions once, and then greeted with a handshake', async () => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: older.url });
  await toolsOf(service, tenant, mcpConnectionId);
  await toolsOf(service, tenant, mcpConnectionId);
  expect(older.times('server/discover')).toBe(1);
  expect(older.times('initialize')).toBe(2);
});

it.each([[[1, 'two', null]], ['a text'], [7], [false], [{ n: 7 }], [null]])(
  'structured content that is %j is passed on as it is',
  async (structured) => {
    newest.state.structured = structured;
    const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: newest.url });
    const { output } = await outputOf(tenant, mcpConnectionId, 'structured');
    expect(output).toEqual({ text: JSON.stringify(structured), structured });
  },
);

it('a key that a server repeats in its structured content is masked in each spelling, even as a number', async () => {
  const key = 'canary/of+a key?';
  const headers = [
    { key: 'x-number', value: '123456789012' },
    { key: 'x-key', value: key },
  ];
  const base64 = Buffer.from(key).toString('base64');
  newest.state.structured = { number: 123_456_789_012, said: [key, encodeURIComponent(key), base64] };
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: newest.url, headers });
  const mask = 'ca********key?';
  expect(await outputOf(tenant, mcpConnectionId, 'structured')).toMatchObject({
    status: 'completed',
    output: { structured: { number: '********', said: [mask, mask, mask] } },
  });
});

it('a server that does not say its versions in time is remembered as an older one', async () => {
  const silent = await McpDouble.start();
  silent.faults.set('server/discover', 'hang');
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: silent.url });
  for (const _ of [1, 2, 3]) expect((await toolsOf(service, tenant, mcpConnectionId)).outcome).toBe('200');
  expect(silent.times('server/discover')).toBe(1);
  expect(silent.times('initialize')).toBe(3);
  await silent.stop();
});

it('a server that becomes an older one, and a newer one again, is followed', async () => {
  const own = await makeTenant(service);
  const { mcpConnectionId } = await makeMcpConnection(service, own, { url: newest.url });
  await makeActiveAgent(service, own, { mcpConnectionIds: [mcpConnectionId] });
  const answer = async () => (await say(own, 'one', 'Ask echo to say this')).body.output[0]!.content;
  expect(await answer()).toContain('Echo: ');
  newest.state.isOlder = true;
  expect(await answer()).toContain('Echo: ');
  expect(newest.received.map(({ method }) => method)).toContain('initialize');
  newest.state.isOlder = false;
  // The handshake is refused, so that the next session asks for the versions again.
  await toolsOf(service, own, mcpConnectionId);
  expect((await toolsOf(service, own, mcpConnectionId)).outcome).toBe('200');
});
