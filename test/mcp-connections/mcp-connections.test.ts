import { newId } from '../../src/kernel/ids.js';
import { createAgent } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { change, create, makeMcpConnection, pathOf, toolsOf } from './make.js';
import { type Fault, McpDouble } from './mcp-double.js';

const service = await startService();
const tenant = await makeTenant(service);
const double = await McpDouble.start({ asJson: true });
afterAll(async () => {
  await service.stop();
  await double.stop();
});
beforeEach(() => double.faults.clear());

const url = 'https://mcp.example.com/mcp';
const SECRET = 'canary-0123456789-of-a-key';
const headers = [{ key: 'x-key', value: SECRET }];
const MASKED = [{ key: 'x-key', value: 'ca********-key' }];

it('a new connection has defaults, and shows its headers masked', async () => {
  const { outcome, body, text } = await create(service, tenant, { name: 'Tracker', url, headers });
  expect(outcome).toBe('201');
  expect(body.data).toMatchObject({
    name: 'Tracker',
    url,
    status: 'ACTIVE',
    headers: MASKED,
    allowedTools: null,
    authProfile: null,
    timeoutMs: 30_000,
  });
  expect(text).not.toContain(SECRET);
  const rows = await service.database.rows('select * from mcp_connection');
  expect(JSON.stringify(rows)).not.toContain(SECRET);
});

it('lists, reads, changes and deletes connections', async () => {
  const own = await makeTenant(service);
  const admin = administratorOf(service);
  const { mcpConnectionId: id } = await makeMcpConnection(service, own, { url });
  expect((await admin.get<{ data: object[] }>(pathOf(own))).body.data).toMatchObject([{ mcpConnectionId: id }]);
  const changed = await change(service, own, id, { status: 'INACTIVE', allowedTools: ['echo'], name: 'Another' });
  expect(changed.body.data).toMatchObject({ status: 'INACTIVE', allowedTools: ['echo'], name: 'Another', url });
  expect((await admin.get(pathOf(own, id))).body).toMatchObject({ data: { name: 'Another' } });
  expect((await admin.delete(pathOf(own, id))).outcome).toBe('200');
  expect((await admin.get(pathOf(own, id))).outcome).toBe('404 MCP_CONNECTION_NOT_FOUND');
});

it('the tools of a server are listed with their input schemas', async () => {
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url: double.url });
  const { outcome, body } = await toolsOf(service, tenant, id);
  expect(outcome).toBe('200');
  expect(body.data.omitted).toEqual([]);
  expect(body.data.tools[0]).toMatchObject({
    name: 'echo',
    description: 'Repeats a text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
});

it('only allowed tools are listed, and one that the server lacks is named with the reason', async () => {
  const allowedTools = ['echo', 'missing'];
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url: double.url, allowedTools });
  const { data } = (await toolsOf(service, tenant, id)).body;
  expect(data.tools.map(({ name }) => name)).toEqual(['echo']);
  expect(data.omitted).toEqual([{ name: 'missing', reason: 'The server does not offer it.' }]);
});

it('the session that listed the tools is closed', async () => {
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url: double.url });
  await toolsOf(service, tenant, id);
  expect(double.received.at(-1)).toMatchObject({ verb: 'DELETE' });
});

it.each<[Fault, string, string]>([
  ['hang', 'MCP_TIMED_OUT', 'did not answer'],
  ['hangup', 'MCP_UNREACHABLE', 'could not be reached'],
  ['large', 'MCP_ANSWER_TOO_LARGE', 'larger than 1 MiB'],
  ['redirect', 'MCP_REDIRECTED', 'redirects'],
  ['sign-in', 'MCP_SIGN_IN_REQUIRED', 'asks for a sign-in'],
  ['forbidden', 'MCP_FORBIDDEN', 'refused access'],
  ['status', 'MCP_STATUS', 'the status 500'],
  ['html', 'MCP_ANSWER_INVALID', 'does not follow the protocol'],
  ['gone', 'MCP_STATUS', 'the status 404'],
])('the list of tools says why a server failed: %s', async (fault, reason, words) => {
  const timeoutMs = fault === 'hang' ? 500 : 30_000;
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url: double.url, timeoutMs });
  double.faults.set('initialize', fault);
  const { outcome, body, text } = await toolsOf(service, tenant, id);
  expect(outcome).toBe('502 MCP_SERVER_FAILED');
  expect(body).toMatchObject({ error: { details: { reason } } });
  expect(text).toContain(words);
  expect(text).not.toContain('stack trace');
});

it('the list of tools says that users have to sign in', async () => {
  await makeProfile(service, tenant, { idpName: 'Login' });
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, { url: double.url, authProfile: 'Login' });
  const { body } = await toolsOf(service, tenant, id);
  expect(body).toMatchObject({ error: { details: { reason: 'MCP_SIGN_IN_REQUIRED' } } });
});

it.each([
  ['http://169.254.169.254/mcp', 'url'],
  ['http://10.0.0.1/mcp', 'url'],
  ['file:///etc/passwd', 'url'],
])('an address in a closed network is refused: %s', async (address) => {
  const { outcome } = await create(service, tenant, { url: address });
  expect(outcome).toBe('400 ADDRESS_NOT_ALLOWED');
});

it.each([
  [{ url, headers: [{ key: 'Mcp-Session-Id', value: 'mine' }] }, ['headers.0.key']],
  [{ url, headers: [{ key: 'host', value: 'elsewhere' }] }, ['headers.0.key']],
  [{ url, headers: [{ key: 'x-a', value: 'a\r\nx-b: b' }] }, ['headers.0.value']],
  [{ url, headers: [...headers, { key: 'X-Key', value: 'another' }] }, ['headers.1.key']],
  [{ url, authProfile: 'Login', headers: [{ key: 'Authorization', value: 'Bearer a' }] }, ['headers.0.key']],
  [{ url, timeoutMs: 1 }, ['timeoutMs']],
  [{ url, secret: 'a' }, ['secret']],
])('a faulty body is refused with the place of the fault: %j', async (given, places) => {
  expect(await create(service, tenant, given)).toMatchObject(faultsAt(...places));
});

it('the mask of a header keeps its value, unless the address leads to another host', async () => {
  const own = { url: double.url, headers };
  const { mcpConnectionId: id } = await makeMcpConnection(service, tenant, own);
  expect((await change(service, tenant, id, { headers: MASKED })).outcome).toBe('200');
  await toolsOf(service, tenant, id);
  expect(double.received.at(-1)!.headers['x-key']).toBe(SECRET);
  for (const stolen of [{ url }, { url, headers: MASKED }]) {
    expect(await change(service, tenant, id, stolen)).toMatchObject(faultsAt('headers'));
  }
  expect((await change(service, tenant, id, { url, headers: [] })).body.data).toMatchObject({ url, headers: [] });
});

it('an authorization profile is one of the project, and stays although it is deleted later', async () => {
  const [own, other] = [await makeTenant(service), await makeTenant(service)];
  const { profileId } = (await makeProfile(service, own, { idpName: 'Company login' })).body.data;
  const given = { url, authProfile: 'Company login' };
  expect(await create(service, other, given)).toMatchObject(faultsAt('authProfile'));
  const { mcpConnectionId: ofOther } = await makeMcpConnection(service, other, { url });
  const { authProfile } = given;
  expect(await change(service, other, ofOther, { authProfile })).toMatchObject(faultsAt('authProfile'));

  const { mcpConnectionId: id } = await makeMcpConnection(service, own, given);
  await administratorOf(service).delete(`/api/admin/v1/apps/${own.appId}/auth-profiles/${profileId}`);
  expect((await change(service, own, id, { authProfile, name: 'Another' })).outcome).toBe('200');
  expect((await change(service, own, id, { authProfile: null })).outcome).toBe('200');
  expect(await change(service, own, id, { authProfile })).toMatchObject(faultsAt('authProfile'));
});

it('an agent names only connections of its project, each once', async () => {
  const other = await makeTenant(service);
  const { mcpConnectionId: id } = await makeMcpConnection(service, other, { url });
  const outcomeOf = async (mcpConnectionIds: string[]) =>
    (await createAgent(service, tenant.appId, { mcpConnectionIds })).outcome;
  expect(await outcomeOf([id])).toBe('404 MCP_CONNECTION_NOT_FOUND');
  expect(await outcomeOf([newId('mcpConnection')])).toBe('404 MCP_CONNECTION_NOT_FOUND');
  const own = await makeMcpConnection(service, tenant, { url });
  expect(await outcomeOf([own.mcpConnectionId])).toBe('201');
  expect(await outcomeOf([own.mcpConnectionId, own.mcpConnectionId])).toBe('400 VALIDATION_ERROR');
});
