import { MikroORM } from '@mikro-orm/postgresql';
import type { Id } from '../../src/kernel/ids.js';
import { KeptSessions } from '../../src/modules/mcp-connections/kept-sessions.js';
import { McpConnection } from '../../src/modules/mcp-connections/mcp-connection.entity.js';
import { McpTools } from '../../src/modules/mcp-connections/mcp-tools.service.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { details } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { deployedTool, flowOf, toolDocument } from '../tools/make.js';
import { makeMcpConnection } from './make.js';
import { type Fault, McpDouble } from './mcp-double.js';

const service = await startService();
const double = await McpDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});
beforeEach(() => {
  double.faults.clear();
  double.without.clear();
});

async function withServer(given: object = {}, agent: object = {}): Promise<Tenant> {
  const tenant = await makeTenant(service);
  const connection = { url: double.url, name: 'Tracker', timeoutMs: 30_000, ...given };
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, connection);
  await makeActiveAgent(service, tenant, { mcpConnectionIds: [mcpConnectionId], ...agent });
  return tenant;
}

/** Calls a tool as turns do, all in one conversation. */
async function callIn({ projectId }: Tenant, tool: string, timeoutMs = 30_000) {
  const em = service.app.get(MikroORM).em.fork();
  const connection = await em.findOneOrFail(McpConnection, { project: projectId as Id<'project'> });
  const caller = { conversation: 'one', userTokens: {}, signal: new AbortController().signal };
  return service.app.get(McpTools).call(connection, { ...caller, tool, input: {}, idempotencyKey: 'a', timeoutMs });
}

/** Returns the sessions that were opened while the work was done. */
async function openedBy(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const before = double.received.length;
  await work();
  return double.received.slice(before).flatMap(({ method, session }) => (method === 'initialize' ? [session] : []));
}

/** Returns what the trace of the session shows below the turn, apart from calls of models. */
async function spansOf(tenant: Tenant, sessionId: string): Promise<{ name: string; output: string }[]> {
  const { body } = await details(tenant, sessionId, { include: ['traces', 'observations'] });
  const observations = body.sessions[0]!.traces.flatMap((trace) => trace.observations);
  const spans = observations.filter(({ type, parent_observation_id: parent }) => type === 'SPAN' && parent !== null);
  return spans.map((span) => ({ name: span.name, output: (span as unknown as { output: string }).output }));
}

it('an agent calls a tool of an MCP server in a turn, and the trace shows the call', async () => {
  const tenant = await withServer();
  const { body } = await say(tenant, 'one', 'Ask echo to say this');
  expect(body).toMatchObject({ status: 'completed', usage: { calls: 2, toolCalls: 1 } });
  expect(body.output[0]!.content).toMatch(/^\[mock\] The tool answered: Echo: /);
  expect(await spansOf(tenant, body.session.sessionId)).toEqual([
    { name: 'echo', output: expect.stringMatching(/^Echo: /) as string },
  ]);
});

it.each<[Fault, string]>([
  ['hang', 'MCP_TIMED_OUT'],
  ['hangup', 'MCP_UNREACHABLE'],
  ['large', 'MCP_ANSWER_TOO_LARGE'],
  ['redirect', 'MCP_REDIRECTED'],
  ['sign-in', 'MCP_SIGN_IN_REQUIRED'],
  ['forbidden', 'MCP_FORBIDDEN'],
  ['status', 'MCP_STATUS: The MCP server answered with the status 500.'],
  ['html', 'MCP_ANSWER_INVALID'],
  ['cut', 'MCP_ANSWER_INVALID: The MCP server ended its answer before the result.'],
])('a turn goes on if a server answers a call with %s, and says why', async (fault, reason) => {
  const tenant = await withServer({ timeoutMs: fault === 'hang' ? 1_000 : 30_000 });
  double.faults.set('tools/call', fault);
  const { body } = await say(tenant, 'one', 'Ask echo to say this');
  expect(body.status).toBe('completed');
  expect(body.output[0]!.content).toContain(`[mock] The tool answered: ${reason}`);
  const [span] = await spansOf(tenant, body.session.sessionId);
  expect(span).toEqual({ name: 'echo', output: expect.stringContaining(reason) as string });
  const rows = await service.database.rows<{ status: string }>(
    `select status from observation where project_id = $1 and name = 'echo'`,
    [tenant.projectId],
  );
  expect(rows).toEqual([{ status: 'failed' }]);
});

it.each<[Fault, string]>([
  ['hang', 'MCP_TIMED_OUT'],
  ['large', 'MCP_ANSWER_TOO_LARGE'],
  ['redirect', 'MCP_REDIRECTED'],
  ['sign-in', 'MCP_SIGN_IN_REQUIRED'],
])('a turn goes on without the tools of a server that answers %s, and the trace says why', async (fault, reason) => {
  const tenant = await withServer({ timeoutMs: fault === 'hang' ? 1_000 : 30_000 });
  double.faults.set('initialize', fault);
  const { body } = await say(tenant, 'one', 'Ask echo to say this');
  expect(body).toMatchObject({ status: 'completed', output: [{ content: '[mock] You said: Ask echo to say this' }] });
  const spans = await spansOf(tenant, body.session.sessionId);
  expect(spans).toEqual([{ name: 'tools of Tracker', output: expect.stringContaining(reason) as string }]);
});

it('a tool that is gone since it was offered fails with the words of the server, and is offered no more', async () => {
  const tenant = await withServer();
  expect((await say(tenant, 'one', 'Ask echo to say this')).body.usage.toolCalls).toBe(1);
  double.without.add('echo');
  double.removeFromSessions('echo');
  const { body } = await say(tenant, 'one', 'Ask echo to say this');
  expect(body).toMatchObject({ status: 'completed', usage: { toolCalls: 1 } });
  expect(body.output[0]!.content).toMatch(/The tool answered: MCP_(ERROR|TOOL_FAILED): .*echo/);
  const after = await say(tenant, 'one', 'Ask echo to say this');
  expect(after.body).toMatchObject({ status: 'completed', usage: { toolCalls: 0 } });
});

it('calls of one conversation share a session, which is opened again if the server has ended it', async () => {
  const tenant = await withServer();
  const answerIn = async (session: string) => (await say(tenant, session, 'Ask count')).body.output[0]!.content;
  expect(await answerIn('one')).toContain('Call 1');
  expect(await answerIn('one')).toContain('Call 2');
  expect(await answerIn('another')).toContain('Call 1');
  double.forgetSessions();
  expect(await answerIn('one')).toContain('Call 1');
});

it('calls that begin at the same moment open one session, which is ended', async () => {
  const tenant = await withServer();
  const sessions = await openedBy(() => Promise.all(Array.from({ length: 5 }, () => callIn(tenant, 'count'))));
  expect(sessions).toHaveLength(1);
  double.forgetSessions();
  const again = await openedBy(() => Promise.all(Array.from({ length: 5 }, () => callIn(tenant, 'count'))));
  expect(again).toHaveLength(1);
  service.app.get(KeptSessions).endIdle(performance.now() + 11 * 60_000);
  await eventually(
    () => double.received.filter(({ verb }) => verb === 'DELETE').map(({ headers }) => headers['mcp-session-id']),
    (ended) => ended.includes(again[0]),
  );
});

it('a call whose own time is over does not wait for the opening of another, nor end it', async () => {
  const tenant = await withServer();
  double.faults.set('initialize', 'hang');
  const reasonOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.message);
  const slow = reasonOf(callIn(tenant, 'count', 3_000));
  const quick = reasonOf(callIn(tenant, 'count', 200));
  expect(await quick).toContain('did not answer within');
  expect(await slow).toContain('did not answer within');
  // A call that waits for an opening opens the session itself if the other one runs out of time.
  const before = double.times('initialize');
  const first = reasonOf(callIn(tenant, 'count', 1_000));
  await eventually(
    () => double.times('initialize'),
    (times) => times > before,
  );
  double.faults.clear();
  const second = callIn(tenant, 'count', 20_000);
  expect(await first).toContain('did not answer within');
  expect((await second).text).toMatch(/^Call /);
});

it('a server that never keeps a session is asked for a new one once', async () => {
  const tenant = await withServer();
  double.faults.set('tools/call', 'gone');
  const before = double.times('tools/call');
  const { body } = await say(tenant, 'one', 'Ask echo to say this');
  expect(body.status).toBe('completed');
  expect(body.output[0]!.content).toContain('MCP_SESSION_LOST');
  expect(double.times('tools/call') - before).toBe(2);
});

it('an answer of 10 MB is cut off', async () => {
  const tenant = await withServer();
  const { body } = await say(tenant, 'one', 'Ask large');
  expect(body.status).toBe('completed');
  expect(body.output[0]!.content).toContain('MCP_ANSWER_TOO_LARGE');
});

it.each([
  ['fail', 'MCP_TOOL_FAILED: No such issue.'],
  ['data', '{"n":7}'],
  ['media', `[audio, audio/wav, 3 bytes]\n[resource file:///${'x'.repeat(491)}…, 2 bytes]\n{"n":7}`],
])('the model reads what the tool %s answers without success or without text', async (tool, answer) => {
  const tenant = await withServer();
  const { body } = await say(tenant, 'one', `Ask ${tool}`);
  expect(body.output[0]!.content).toBe(`[mock] The tool answered: ${answer}`);
});

it('a session with a server ends when it was idle, and when the process stops', async () => {
  const tenant = await withServer();
  const second = await startProcess(service.settings);
  const ends = () =>
    double.received.filter(({ verb }) => verb === 'DELETE').map(({ headers }) => headers['mcp-session-id']);
  const sessionOfCall = async (api: Client) => {
    expect((await say({ ...tenant, api }, 'one', 'Ask count')).body.output[0]!.content).toContain('Call 1');
    return double.received.findLast(({ method }) => method === 'tools/call')!.headers['mcp-session-id'];
  };
  const idle = await sessionOfCall(tenant.api);
  expect(ends()).not.toContain(idle);
  service.app.get(KeptSessions).endIdle(performance.now() + 11 * 60_000);
  await eventually(ends, (ended) => ended.includes(idle));
  const stopped = await sessionOfCall(Client.withKey(second, tenant.key));
  await second.stop();
  expect(ends()).toContain(stopped);
});

it('a server gets the headers of the connection, and nothing shows them when it repeats them', async () => {
  const secret = 'canary-of-an-mcp-key';
  const tenant = await withServer({ headers: [{ key: 'x-tracker-key', value: secret }] });
  const { body, text } = await say(tenant, 'one', 'Ask tell_headers');
  expect(double.received.at(-1)!.headers['x-tracker-key']).toBe(secret);
  expect(text).toContain('x-tracker-key');
  const spans = JSON.stringify(await spansOf(tenant, body.session.sessionId));
  expect(spans).toContain('x-tracker-key');
  expect(text + spans).not.toContain(secret);
});

it('only allowed tools of active connections are offered', async () => {
  const allowed = await withServer({ allowedTools: ['count'] });
  expect((await say(allowed, 'one', 'Ask echo')).body.usage.toolCalls).toBe(0);
  expect((await say(allowed, 'one', 'Ask count')).body.usage.toolCalls).toBe(1);
  const inactive = await withServer({ status: 'INACTIVE' });
  expect((await say(inactive, 'one', 'Ask count')).body.usage.toolCalls).toBe(0);
});

it('a deployed tool keeps its name, and a tool of a server with the same name gets another', async () => {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, {
    tool: toolDocument({ name: 'count' }),
    flow: flowOf([], { end: { output: 'ours' } }),
  });
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: double.url });
  await makeActiveAgent(service, tenant, { toolIds: [toolId], mcpConnectionIds: [mcpConnectionId] });
  const { body } = await say(tenant, 'one', 'Ask count');
  expect(body.output[0]!.content).toBe('[mock] The tool answered: ours');
});
