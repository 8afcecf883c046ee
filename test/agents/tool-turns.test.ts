import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectTo, ledgerOf } from '../gateway/calls.js';
import { details, ref, terminate } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { deployedTool, flowOf, TOOLS } from '../tools/make.js';
import { makeActiveAgent, say } from './make.js';

const received: string[] = [];
const receiver = createServer((request, response) => {
  let text = '';
  request.on('data', (piece: Buffer) => (text += piece.toString()));
  request.on('end', () => {
    received.push(text);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const there = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

const service = await startService();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
  receiver.close();
});

/** A tool that answers where the order is. */
const ORDER = { flow: flowOf([], { end: { output: { place: 'Oslo' } } }) };

async function withTool(parts: object = ORDER, given: object = {}): Promise<{ tenant: Tenant; toolId: string }> {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, parts);
  await makeActiveAgent(service, tenant, { toolIds: [toolId], fallbackMessage: 'Later.', ...given });
  return { tenant, toolId };
}

it('a turn calls a tool and answers with its output, and trace, ledger and totals agree to the token', async () => {
  const { tenant } = await withTool();
  const { body } = await say(tenant, 'tool', 'Ask a_tool where it is');
  expect(body).toMatchObject({
    status: 'completed',
    output: [{ content: '[mock] The tool answered: {"place":"Oslo"}' }],
    usage: { calls: 2, toolCalls: 1 },
  });

  const query = { include: ['traces', 'observations'] };
  const [session] = (await details(tenant, body.session.sessionId, query)).body.sessions;
  const [trace, ...others] = session!.traces;
  expect(others).toEqual([]);
  const top = trace!.observations.find(({ parent_observation_id: parent }) => parent === null)!;
  const below = trace!.observations.filter(({ parent_observation_id: parent }) => parent === top.observation_id);
  expect(below.map(({ type, name }) => [type, name])).toEqual([
    ['GENERATION', 'response_generation'],
    ['SPAN', 'a_tool'],
    ['GENERATION', 'response_generation'],
  ]);

  const calls = await ledgerOf(tenant);
  expect(calls.map(({ callId }) => callId)).toEqual(
    below.filter(({ type }) => type === 'GENERATION').map(({ observation_id: id }) => id),
  );
  const input = calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = calls.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  expect(session!.totals).toMatchObject({ turns: 1, calls: 2, input_tokens: input, output_tokens: output });
  expect(body.usage).toMatchObject({ inputTokens: input, outputTokens: output });
  const observed = below.reduce((sum, { token_usage: usage }) => sum + (usage?.total ?? 0), 0);
  expect(observed).toBe(input + output);
});

it('a turn whose model never stops calling tools is ended', async () => {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, ORDER);
  const connectionId = await connectTo(tenant, double, 'looping');
  await makeActiveAgent(service, tenant, { toolIds: [toolId], connectionId, maxSteps: 3, fallbackMessage: 'Later.' });
  const { body } = await say(tenant, 'loop', 'Go');
  expect(body).toMatchObject({
    status: 'failed',
    output: [{ content: 'Later.' }],
    usage: { calls: 3, toolCalls: 3 },
    error: { code: 'STEP_LIMIT_REACHED' },
  });
});

it.each(['broken-arguments', 'deep-arguments'])('the model learns what is wrong with its %s', async (how) => {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, ORDER);
  const connectionId = await connectTo(tenant, double, how);
  await makeActiveAgent(service, tenant, { toolIds: [toolId], connectionId });
  const { body } = await say(tenant, 'broken', 'Go');
  expect(body).toMatchObject({ status: 'completed', output: [{ content: 'Done.' }] });
  expect(JSON.stringify(double.last.body.messages)).toContain('not a JSON object');
});

it('a turn continues after a tool output that PostgreSQL cannot store as it is', async () => {
  const code = 'return "A" + String.fromCharCode(0) + "B";';
  const { tenant } = await withTool({ flow: flowOf([{ id: 'tell', type: 'script', code }]) });
  const { body } = await say(tenant, 'nul', 'Ask a_tool where it is');
  expect(body).toMatchObject({ status: 'completed', usage: { calls: 2, toolCalls: 1 } });
  const [session] = (await details(tenant, body.session.sessionId, { include: ['traces', 'observations'] })).body
    .sessions;
  expect(JSON.stringify(session!.traces[0]!.observations)).toContain('"A\ufffdB"');
});

it('only deployed tools are offered to the model', async () => {
  const { tenant, toolId } = await withTool();
  await tenant.api.post(`${TOOLS}/${toolId}/undeploy`);
  const { body } = await say(tenant, 'none', 'Ask a_tool where it is');
  expect(body).toMatchObject({
    output: [{ content: '[mock] You said: Ask a_tool where it is' }],
    usage: { toolCalls: 0 },
  });
});

describe('a tool that waits', () => {
  const waiting = (more: object = {}) => ({
    flow: flowOf(
      [
        {
          id: 'tell',
          type: 'http',
          url: there,
          method: 'POST',
          body: { url: '{{ callback.url }}', secret: '{{ callback.secret }}' },
        },
        { id: 'wait', type: 'wait', ...more },
      ],
      { end: { output: { approved: '{{ nodes.wait.approved }}' } } },
    ),
  });
  const stateOf = async ({ appId }: Tenant) => {
    const [row] = await service.database.rows<{ state: string; status: string }>(
      'select run.state, session.status from run join session on session.id = run.session_id where run.app_id = $1',
      [appId],
    );
    return row;
  };

  /** Starts a turn and waits until it is suspended for the tool. The answer is pending. */
  const suspendedIn = async (session: string) => {
    const { tenant } = await withTool(waiting());
    received.length = 0;
    const answer = say(tenant, session, 'Ask a_tool to approve');
    await eventually(
      () => stateOf(tenant),
      (row) => row?.state === 'suspended',
    );
    return { tenant, answer };
  };

  const callBack = () => {
    const { url, secret } = JSON.parse(received[0]!) as { url: string; secret: string };
    const rawBody = '{"approved":true}';
    const signature = `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
    const headers = { 'x-callback-signature': signature };
    return new Client(service.url).send('POST', new URL(url).pathname, { rawBody, headers });
  };

  it('suspends the turn, keeps the session busy, and continues after the callback', async () => {
    const { tenant, answer } = await suspendedIn('wait');
    expect(await stateOf(tenant)).toEqual({ state: 'suspended', status: 'busy' });
    expect((await callBack()).outcome).toBe('200');
    expect((await answer).body).toMatchObject({
      status: 'completed',
      output: [{ content: '[mock] The tool answered: {"approved":true}' }],
      usage: { calls: 2, toolCalls: 1 },
    });
  });

  it('ends with its session, and a later callback is refused', async () => {
    const { tenant, answer } = await suspendedIn('over');
    expect((await terminate(tenant, [ref('over')])).outcome).toBe('200');
    expect((await answer).body).toMatchObject({ status: 'failed', error: { code: 'SESSION_TERMINATED' } });
    expect((await callBack()).outcome).toBe('401 CALLBACK_EXPIRED');
    const runs = await service.database.rows('select state, error_code as code from tool_run where project_id = $1', [
      tenant.projectId,
    ]);
    expect(runs).toEqual([{ state: 'failed', code: 'RUN_CANCELLED' }]);
  });

  it('continues if no callback comes in time', async () => {
    const { tenant } = await withTool(waiting({ timeoutSeconds: 1 }));
    const { body } = await say(tenant, 'late', 'Ask a_tool to approve');
    expect(body).toMatchObject({ status: 'completed', usage: { calls: 2, toolCalls: 1 } });
    expect(body.output[0]!.content).toContain('WAIT_TIMED_OUT');
  });
});

it('a turn has as many calls in the ledger as it made', async () => {
  const { tenant } = await withTool();
  await say(tenant, 'count', 'Ask a_tool where it is');
  await say(tenant, 'count', 'Thanks');
  expect(await ledgerOf(tenant)).toHaveLength(3);
});
