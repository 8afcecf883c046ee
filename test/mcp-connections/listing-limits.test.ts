import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeMcpConnection, toolsOf } from './make.js';
import { startListing } from './listing-double.js';

const service = await startService();
const server = await startListing();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await server.stop();
});

const schemaOf = (characters: number) => ({ type: 'object', description: 'x'.repeat(characters) });
const toolsNamed = (count: number, inputSchema: object = { type: 'object' }) =>
  Array.from({ length: count }, (_, at) => ({ name: `tool${at}`, description: 'Does something.', inputSchema }));

function nested(levels: number): object {
  return levels === 0 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } };
}

async function listed(tools: object[], perPage = Infinity) {
  Object.assign(server.state, { tools, perPage, pages: 0 });
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: server.url });
  return toolsOf(service, tenant, mcpConnectionId);
}

it('128 tools of a server are offered, and no more', async () => {
  expect((await listed(toolsNamed(128))).body.data.tools).toHaveLength(128);
  const { data } = (await listed(toolsNamed(500))).body;
  expect(data.tools.map(({ name }) => name)).toEqual(toolsNamed(128).map(({ name }) => name));
});

it('pages are read until there are enough tools, and ten of them at most', async () => {
  expect((await listed(toolsNamed(300), 50)).body.data.tools).toHaveLength(128);
  expect(server.state.pages).toBe(3);
  expect((await listed(toolsNamed(300), 1)).body.data.tools).toHaveLength(10);
  expect(server.state.pages).toBe(10);
});

it.each<[string, object, string]>([
  ['a long schema', { inputSchema: schemaOf(33_000) }, 'more than 32768 characters'],
  ['a deep schema', { inputSchema: nested(20) }, 'nested deeper than 32 levels'],
  ['a long name', { name: 'x'.repeat(129) }, '1 to 128 characters'],
  ['a name with a line break', { name: 'a\nb' }, '1 to 128 characters'],
])('a tool with %s is left out with the reason, and the others are offered', async (_, faulty, reason) => {
  const [good] = toolsNamed(1);
  const { data } = (await listed([{ ...good, name: 'odd', ...faulty }, good!])).body;
  expect(data.tools.map(({ name }) => name)).toEqual(['tool0']);
  expect(data.omitted).toEqual([
    { name: expect.any(String) as string, reason: expect.stringContaining(reason) as string },
  ]);
});

it('the schemas of a server have 512 Ki characters together', async () => {
  const { data } = (await listed(toolsNamed(25, schemaOf(32_000)))).body;
  expect(data.tools).toHaveLength(16);
  expect(data.omitted).toHaveLength(9);
  expect(data.omitted[0]!.reason).toContain('more than 524288 characters together');
});

it('a long description is cut', async () => {
  const { data } = (await listed([{ ...toolsNamed(1)[0], description: 'x'.repeat(10_000) }])).body;
  expect(data.tools[0]!.description).toBe(`${'x'.repeat(4_095)}…`);
});

it('a list of 10 MB is not read to its end', async () => {
  const { outcome, body } = await listed(toolsNamed(100, schemaOf(100_000)));
  expect(outcome).toBe('502 MCP_SERVER_FAILED');
  expect(body).toMatchObject({ error: { details: { reason: 'MCP_ANSWER_TOO_LARGE' } } });
});

it('a redirect is not followed, not even to an open address', async () => {
  Object.assign(server.state, { tools: toolsNamed(1), perPage: Infinity, pages: 0 });
  const redirecting = createServer((_, response) => response.writeHead(308, { location: server.url }).end());
  await once(redirecting.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/mcp`;
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url });
  const before = server.state.requests;
  const { body } = await toolsOf(service, tenant, mcpConnectionId);
  expect(body).toMatchObject({ error: { details: { reason: 'MCP_REDIRECTED' } } });
  expect(server.state.requests).toBe(before);
  redirecting.close();
});

it('what a server repeats of the connection’s headers is masked in its tools and in its refusal', async () => {
  const secret = 'canary-of-the-connection';
  const headers = [{ key: 'x-secret', value: secret }];
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: server.url, headers });
  const [tool] = toolsNamed(1);
  Object.assign(server.state, { tools: [{ ...tool, description: `Knows ${secret}.` }], perPage: Infinity });
  const shown = await toolsOf(service, tenant, mcpConnectionId);
  expect(shown.body.data.tools).toHaveLength(1);
  expect(shown.text).not.toContain(secret);

  server.state.refusal = `Bad key ${secret}.`;
  const refused = await toolsOf(service, tenant, mcpConnectionId);
  server.state.refusal = '';
  expect(refused.status).toBe(502);
  expect(refused.text).toContain('Bad key');
  expect(refused.text).not.toContain(secret);
});
