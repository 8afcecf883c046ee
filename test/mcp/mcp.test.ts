import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { makeKeyWith, makeTenant, revoke, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import {
  deployedTool,
  type DockBody,
  ended,
  flowOf,
  importedTool,
  runOf,
  toolDocument,
  TOOLS,
  uploadJson,
} from '../tools/make.js';
import { openApi } from '../tools/open-api.js';

/** The official client, unmodified, because any MCP client has to be able to use the tools. */
const service = await startService();
afterAll(() => service.stop());

async function connected(key: string, header = 'x-api-key'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { [header]: header === 'authorization' ? `Bearer ${key}` : key };
  const address = new URL(`${service.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}

const named = (name: string, inputSchema: object = { type: 'object' }) => toolDocument({ name, inputSchema });
const script = (code: string) => flowOf([{ id: 's', type: 'script', code }]);
const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]!.text;
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('a client with a key', () => {
  let tenant: Tenant;
  let toolId: string;
  let client: Client;
  beforeAll(async () => {
    tenant = await makeTenant(service);
    toolId = await deployedTool(tenant, { tool: named('weather', CITY), flow: script('return { warm: true }') });
    await deployedTool(tenant, { tool: named('broken'), flow: script('throw new Error("No luck")') });
    await importedTool(tenant, { tool: named('not_deployed') });
    client = await connected(tenant.key);
  });
  afterAll(() => client.close());

  it('lists the deployed tools with their input schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['weather', 'broken']);
    expect(tools[0]).toMatchObject({ description: 'Does something.', inputSchema: CITY });
  });

  it('runs a tool, whose run can be read node by node', async () => {
    const result = await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
    expect(result.isError).toBeUndefined();
    const run = await runOf(tenant, toolId, result._meta!['slipway/runId'] as string);
    expect(run).toMatchObject({ status: 'completed', input: { city: 'Oslo' } });
    expect(JSON.parse(textOf(result))).toEqual(run.output);
  });

  it('reads the failure of a run as the error of the tool', async () => {
    const result = await client.callTool({ name: 'broken', arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('No luck');
  });

  it('reads what is wrong with its arguments', async () => {
    const result = await client.callTool({ name: 'weather', arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('city');
  });

  it.each(['not_deployed', 'unknown'])('cannot call the tool %s', async (name) => {
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('No deployed tool');
  });

  it('reads that a run waits for a callback, and which run it is', async () => {
    const waiting = await deployedTool(tenant, { tool: named('wait'), flow: flowOf([{ id: 'wait', type: 'wait' }]) });
    const result = await client.callTool({ name: 'wait', arguments: {} });
    const runId = result._meta!['slipway/runId'] as string;
    expect(textOf(result)).toContain(`The run ${runId} waits for a callback`);
    expect((await runOf(tenant, waiting, runId)).status).toBe('suspended');
  });

  it('can send its key as a bearer token, and ping', async () => {
    const bearer = await connected(tenant.key, 'authorization');
    expect(await bearer.ping()).toEqual({});
    await bearer.close();
  });
});

it('offers several tools of one name under different names, page by page', async () => {
  const tenant = await makeTenant(service);
  for (let at = 0; at < 3; at += 1) {
    const flow = script(`return ${at}`);
    const tool = named('same', { type: 'object', description: 'x'.repeat(600_000) });
    await deployedTool(tenant, { tool, flow });
  }
  const client = await connected(tenant.key);
  const first = await tenant.api.post<{ result: { tools: unknown[]; nextCursor: string } }>('/mcp', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  expect(first.body.result.tools).toHaveLength(2);
  const params = { cursor: first.body.result.nextCursor };
  const second = await tenant.api.post<{ result: { tools: { name: string }[] } }>('/mcp', {
    ...{ jsonrpc: '2.0', id: 2, method: 'tools/list', params },
  });
  expect(second.body.result.tools.map(({ name }) => name)).toEqual([expect.stringMatching(/^same_/)]);
  expect(second.body.result).not.toHaveProperty('nextCursor');
  const { tools } = await client.listTools();
  expect(new Set(tools.map(({ name }) => name)).size).toBe(3);
  for (const { name } of tools) expect((await client.callTool({ name, arguments: {} })).isError).toBeUndefined();
  await client.close();
});

it('does not show or run the tools of another project', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  await deployedTool(other, { tool: named('secret') });
  const client = await connected(tenant.key);
  expect((await client.listTools()).tools).toEqual([]);
  await expect(client.callTool({ name: 'secret', arguments: {} })).rejects.toThrow('No deployed tool');
  await client.close();
});

it('refuses a revoked key, an unknown one and one without the permission', async () => {
  const tenant = await makeTenant(service);
  const client = await connected(tenant.key);
  await revoke(service, tenant.appId, tenant.keyId);
  await expect(client.listTools()).rejects.toThrow();
  await expect(connected(tenant.key)).rejects.toThrow();
  await expect(connected('no-key')).rejects.toThrow();
  await expect(connected((await makeKeyWith(service, tenant, ['APP_VIEW'])).key)).rejects.toThrow();
});

it('answers GET and DELETE with 405, because it keeps no sessions', async () => {
  const { api } = await makeTenant(service);
  for (const answer of [await api.get('/mcp'), await api.delete('/mcp')]) {
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('POST');
  }
});

it('answers an unknown method and bad parameters as JSON-RPC does', async () => {
  const { api } = await makeTenant(service);
  const codeOf = async (method: string, params: object) =>
    (await api.post<{ error: { code: number } }>('/mcp', { jsonrpc: '2.0', id: 1, method, params })).body.error.code;
  expect(await codeOf('resources/list', {})).toBe(-32601);
  expect(await codeOf('tools/list', { cursor: 'other' })).toBe(-32602);
  expect(await codeOf('tools/call', {})).toBe(-32602);
});

it('takes a notification without an answer', async () => {
  const { api } = await makeTenant(service);
  const answer = await api.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([answer.status, answer.text]).toEqual([202, '']);
});

describe('the newest version', () => {
  const VERSION = '2026-07-28';
  const META = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await makeTenant(service);
    await deployedTool(tenant, { tool: named('weather', CITY), flow: script('return { warm: true }') });
  });

  it.each(['auto', { pin: VERSION }] as const)('is spoken by the official client in the mode %j', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { 'x-api-key': tenant.key } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(VERSION);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['weather']);
    const result = await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
    expect(textOf(result)).toBe('{"warm":true}');
    expect((await client.callTool({ name: 'weather', arguments: {} })).isError).toBe(true);
    await expect(client.callTool({ name: 'unknown', arguments: {} })).rejects.toThrow('No deployed tool');
    await client.close();
  });

  const send = async (message: object, headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': tenant.key, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
    const text = await response.text();
    return { status: response.status, body: (text && JSON.parse(text)) as Record<string, unknown> };
  };
  const list = { method: 'tools/list', params: { _meta: META } };
  const version = { 'mcp-protocol-version': VERSION };
  const call = { method: 'tools/call', params: { name: 'weather', arguments: { city: 'Oslo' }, _meta: META } };
  const later = { ...META, 'io.modelcontextprotocol/protocolVersion': '2999-01-01' };

  it('answers each request with the server, and with what a client may keep', async () => {
    const { status, body } = await send(list, { ...version, 'mcp-method': 'tools/list' });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'slipway' } },
    });
  });

  it.each<[string, object, Record<string, string>, number, number]>([
    ['no version in the body', { method: 'tools/list' }, version, 400, -32602],
    [
      'no capabilities',
      { ...list, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': VERSION } } },
      { ...version, 'mcp-method': 'tools/list' },
      400,
      -32602,
    ],
    ['no header with the version', list, { 'mcp-method': 'tools/list' }, 400, -32020],
    ['another version in the header', list, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['no header with the method', list, version, 400, -32020],
    ['another method in the header', list, { ...version, 'mcp-method': 'tools/call' }, 400, -32020],
    ['no header with the name', call, { ...version, 'mcp-method': 'tools/call' }, 400, -32020],
    [
      'another name in the header',
      call,
      { ...version, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?b3RoZXI=?=' },
      400,
      -32020,
    ],
    [
      'a version to come',
      { ...list, params: { _meta: later } },
      { 'mcp-protocol-version': '2999-01-01', 'mcp-method': 'tools/list' },
      400,
      -32022,
    ],
    [
      'a method that it does not have any more',
      { ...list, method: 'ping' },
      { ...version, 'mcp-method': 'ping' },
      404,
      -32601,
    ],
  ])('refuses a request with %s', async (_, message, headers, status, code) => {
    const answer = await send(message, headers);
    expect(answer).toMatchObject({ status, body: { jsonrpc: '2.0', id: 1, error: { code } } });
    if (code === -32022) expect(answer.body.error).toMatchObject({ data: { supported: [VERSION] } });
  });

  it('takes a name that is encoded in its header', async () => {
    const headers = { ...version, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?d2VhdGhlcg==?=' };
    expect((await send(call, headers)).body.result).toMatchObject({ resultType: 'complete' });
  });

  it('is not offered in a handshake, which it does not have', async () => {
    const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { body } = await send({ method: 'initialize', params }, {});
    expect(body.result).toMatchObject({ protocolVersion: '2025-11-25' });
  });
});

it('a request in a version that is not supported is answered with 400', async () => {
  const { api } = await makeTenant(service);
  for (const version of ['1999-01-01', '2024-11-05', '2999-01-01', 'latest']) {
    const headers = { 'mcp-protocol-version': version };
    const answer = await api.send('POST', '/mcp', { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(answer.outcome).toBe('400 MCP_VERSION_NOT_SUPPORTED');
  }
});

it('the page of a list has 50 tools, and the next page has the others', async () => {
  const tenant = await makeTenant(service);
  const operations = Array.from({ length: 50 }, (_, at) => [`/p${at}`, { get: { operationId: `get${at}` } }]);
  const fileId = await uploadJson(tenant, openApi({ paths: Object.fromEntries(operations) }));
  const files = { toolDataFileId: fileId, flowDataFileId: fileId };
  await ended(tenant, (await tenant.api.post<DockBody>(`${TOOLS}/import`, { toolName: 'Many', ...files })).body);
  await importedTool(tenant, { tool: named('last') });
  await service.database.rows('update tool set deployed_version_id = version_id where project_id = $1', [
    tenant.projectId,
  ]);
  const page = async (params: object) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
    return (await tenant.api.post<{ result: { tools: object[]; nextCursor?: string } }>('/mcp', message)).body.result;
  };
  const first = await page({});
  expect(first.tools).toHaveLength(50);
  const second = await page({ cursor: first.nextCursor });
  expect(second).toMatchObject({ tools: [{ name: 'last' }] });
  expect(second).not.toHaveProperty('nextCursor');
  const client = await connected(tenant.key);
  expect((await client.listTools()).tools).toHaveLength(51);
  await client.close();
});
