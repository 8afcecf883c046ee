import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, endedRun, envOf, execute, flowDocument, flowOf, outcomeOf, runOf } from './make.js';

interface Received {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The requests that the other side has received. Its behaviour depends on the first part of the path. */
const received: Received[] = [];
let failures = 0;
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    const path = request.url!;
    received.push({ method: request.method!, path, headers: request.headers, body });
    if (path.startsWith('/slow')) return;
    if (path.startsWith('/flaky') && failures-- > 0) return void response.writeHead(503).end();
    if (path.startsWith('/broken')) return void response.writeHead(500).end('no');
    if (path.startsWith('/moved')) return void response.writeHead(302, { location: '/json' }).end();
    if (path.startsWith('/echo')) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
    if (path.startsWith('/large')) return void response.end('x'.repeat(2 * 1024 * 1024));
    const deep = path.startsWith('/deep') && `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(deep || '{"total":3,"items":[{"id":7}]}');
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
});
beforeEach(() => received.splice(0));

const http = (more: object = {}) => ({ id: 'call', type: 'http', url: `${there}/json`, ...more });
const SECRET = 'canary-secret-0123456789';

describe('an http node', () => {
  it('sends the values of its templates, and returns the answer', async () => {
    const flow = flowOf(
      [
        http({
          url: `${there}/json/{{ input.id }}`,
          method: 'POST',
          headers: { 'x-tenant': '{{ env.TENANT }}' },
          query: { q: '{{ input.q }}' },
          body: { id: '{{ input.id }}', list: '{{ input.list }}', text: 'No {{ input.id }}' },
        }),
      ],
      { end: { output: { total: '{{ nodes.call.body.total }}', first: '{{ nodes.call.body.items[0].id }}' } } },
    );
    const env = envOf([{ name: 'TENANT', value: 'acme' }]);
    const run = await outcomeOf(tenant, { flow, env }, { id: 5, q: 'a&b=c', list: [1, { b: 2 }] });
    expect(run).toMatchObject({ status: 'completed', output: { total: 3, first: 7 } });
    expect(received).toMatchObject([{ method: 'POST', path: '/json/5?q=a%26b%3Dc', headers: { 'x-tenant': 'acme' } }]);
    expect(JSON.parse(received[0]!.body)).toEqual({ id: 5, list: [1, { b: 2 }], text: 'No 5' });
  });

  it('is tried again if that may help, as often as it says', async () => {
    failures = 2;
    const url = `${there}/flaky`;
    const tried = (attempts: number) =>
      outcomeOf(tenant, { flow: flowOf([http({ url, retry: { attempts, delayMs: 1 } })]) });
    expect(await tried(3)).toMatchObject({ status: 'completed' });
    expect(received).toHaveLength(3);
    failures = 2;
    expect(await tried(2)).toMatchObject({ status: 'failed', error: { code: 'HTTP_STATUS' } });
    const slow = http({ url: `${there}/slow`, timeoutMs: 100, retry: { attempts: 2, delayMs: 1 } });
    expect(await outcomeOf(tenant, { flow: flowOf([slow]) })).toMatchObject({ error: { code: 'HTTP_TIMED_OUT' } });
    expect(received).toHaveLength(7);
  });

  it.each([
    ['/broken', {}, 'HTTP_STATUS'],
    ['/moved', {}, 'HTTP_STATUS'],
    ['/slow', { timeoutMs: 100 }, 'HTTP_TIMED_OUT'],
    ['/large', { method: 'POST', retry: { attempts: 3, delayMs: 1 } }, 'OUTPUT_TOO_LARGE'],
    ['/deep', {}, 'OUTPUT_TOO_DEEP'],
  ])('fails after one request with %s %j', async (path, more, code) => {
    const run = await outcomeOf(tenant, { flow: flowOf([http({ url: there + path, ...more })]) });
    expect(run).toMatchObject({ status: 'failed', error: { code } });
    expect(received).toHaveLength(1);
  });

  it.each(['http://169.254.169.254/latest', 'http://[::1]:1/', 'http://10.0.0.1/', 'file:///etc/passwd', 'nonsense'])(
    'does not go to %s',
    async (url) => {
      const run = await outcomeOf(tenant, { flow: flowOf([http({ url: '{{ input.url }}' })]) }, { url });
      expect(run).toMatchObject({ status: 'failed', error: { code: 'ADDRESS_NOT_ALLOWED' } });
    },
  );

  it('can have an edge that the run takes if it fails', async () => {
    const flow = flowOf([http({ url: `${there}/broken` })], {
      nodes: [{ id: 'other', type: 'end', output: { went: '{{ errors.call.code }}' } }],
      edges: [{ from: 'call', to: 'other', when: 'error' }],
    });
    expect(await outcomeOf(tenant, { flow })).toMatchObject({ status: 'completed', output: { went: 'HTTP_STATUS' } });
  });
});

describe('secrets', () => {
  it('are sent to their receiver, and are found nowhere else', async () => {
    const flow = flowOf(
      [
        http({
          url: `${there}/echo`,
          method: 'POST',
          headers: { authorization: 'Bearer {{ env.KEY }}' },
          body: { key: '{{ env.KEY }}' },
        }),
        { id: 'see', type: 'script', code: 'return { length: nodes.call.body.length, env: env.KEY };' },
      ],
      { end: { output: { seen: '{{ nodes.see }}', text: 'It is {{ env.KEY }}' } } },
    );
    const toolId = await deployedTool(tenant, { flow, env: envOf([{ name: 'KEY', value: SECRET, secret: true }]) });
    const { body, text } = await execute(tenant, toolId);
    expect(received[0]).toMatchObject({ headers: { authorization: `Bearer ${SECRET}` }, body: `{"key":"${SECRET}"}` });
    expect(body.output).toMatchObject({ seen: { length: `{"key":"${SECRET}"}`.length } });
    const seen = JSON.stringify([text, await runOf(tenant, toolId, body.runId), await service.database.dump()]);
    expect(seen).not.toContain(SECRET);
    expect(seen).toContain('ca********6789');
  });

  it('are not shown when the tool is read', async () => {
    const toolId = await deployedTool(tenant, { env: envOf([{ name: 'KEY', value: SECRET, secret: true }]) });
    const { text } = await tenant.api.get(`/api/public/tools/${toolId}`);
    expect(text).not.toContain(SECRET);
  });
});

describe('an llm node', () => {
  it('asks a model, whose call is in the ledger', async () => {
    const node = { id: 'ask', type: 'llm', model: 'mock', system: 'Be short.', prompt: 'Say {{ input.word }}' };
    const run = await outcomeOf(
      tenant,
      { flow: flowOf([node], { end: { output: '{{ nodes.ask.text }}' } }) },
      { word: 'hello' },
    );
    expect(run.output).toBe('[mock] You said: Say hello');
    const path = `/api/public/analytics/projects/${tenant.projectId}/llm-ledger`;
    const query = {
      fromDate: '2020-01-01T00:00:00Z',
      toDate: '2099-01-01T00:00:00Z',
      sourceSubtype: 'semantic_execution',
    };
    const { body } = await tenant.api.get<{ generations: object[] }>(path, { query });
    expect(body.generations).toMatchObject([
      { model: 'mock', source: 'runtime', sourceId: expect.stringMatching(/^a-/) as string },
    ]);
  });

  it('fails if there is no such model', async () => {
    const node = { id: 'ask', type: 'llm', model: 'nobody', prompt: 'Hello' };
    expect(await outcomeOf(tenant, { flow: flowOf([node]) })).toMatchObject({ error: { code: 'MODEL_NOT_FOUND' } });
  });
});

describe('scripts', () => {
  it.each([
    ['for (;;);', { timeoutMs: 100 }, 'SCRIPT_TIMED_OUT'],
    ['const a = []; for (;;) a.push("x".repeat(1e5) + a.length);', { timeoutMs: 5_000 }, 'SCRIPT_OUT_OF_MEMORY'],
    ['return /^(a+)+$/.test("a".repeat(60) + "!");', { timeoutMs: 100 }, 'SCRIPT_TIMED_OUT'],
    ['return 10n ** 2n;', {}, 'SCRIPT_FAILED'],
    ['throw new Error("no luck");', {}, 'SCRIPT_FAILED'],
    ['return "x".repeat(2e6);', {}, 'OUTPUT_TOO_LARGE'],
  ])('that do %s end the run', async (code, more, error) => {
    const run = await outcomeOf(tenant, { flow: flowOf([{ id: 's', type: 'script', code, ...more }]) });
    expect(run).toMatchObject({ status: 'failed', error: { code: error } });
  });
});

describe('a run', () => {
  it('ends if it does not leave a cycle', async () => {
    const flow = flowDocument(
      [
        { id: 'start', type: 'start' },
        { id: 'again', type: 'condition', expression: 'input.isOver' },
        { id: 'end', type: 'end' },
      ],
      [
        { from: 'start', to: 'again' },
        { from: 'again', to: 'end', when: 'true' },
        { from: 'again', to: 'again', when: 'false' },
      ],
    );
    expect(await outcomeOf(tenant, { flow }, { isOver: true })).toMatchObject({ status: 'completed' });
    expect(await outcomeOf(tenant, { flow })).toMatchObject({ error: { code: 'TOO_MANY_STEPS' } });
  });

  it('ends when its time is over, within a request or a script', async () => {
    const endless = { id: 's', type: 'script', code: 'for (;;);', timeoutMs: 10_000 };
    for (const flow of [flowOf([http({ url: `${there}/slow` })]), flowOf([endless])]) {
      expect((await outcomeOf(tenant, { flow }, {}, { timeoutMs: 200 })).error?.code).toBe('RUN_TIMED_OUT');
    }
  });

  it('is cancelled once', async () => {
    const toolId = await deployedTool(tenant, { flow: flowOf([http({ url: `${there}/slow` })]) });
    const { body } = await execute(tenant, toolId, {}, { isAsync: true });
    const cancel = () => tenant.api.post(`/api/public/tools/${toolId}/runs/${body.runId}/cancel`);
    expect((await cancel()).body).toStrictEqual({ runId: body.runId, status: 'failed' });
    expect((await runOf(tenant, toolId, body.runId)).error).toMatchObject({ code: 'RUN_CANCELLED' });
    expect((await cancel()).outcome).toBe('409 RUN_ENDED');
  });

  it('continues to its end if its tool is undeployed meanwhile', async () => {
    const code = 'for (const end = 3e5, a = []; a.length < end;) a.push(1); return 1;';
    const toolId = await deployedTool(tenant, { flow: flowOf([{ id: 's', type: 'script', code, timeoutMs: 9_000 }]) });
    const { body } = await execute(tenant, toolId, {}, { isAsync: true });
    await tenant.api.post(`/api/public/tools/${toolId}/undeploy`);
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({ status: 'completed', output: 1 });
  });
});

describe('a wait node', () => {
  const waiting = (more: object = {}) =>
    flowOf(
      [
        http({
          url: `${there}/json`,
          method: 'POST',
          body: { url: '{{ callback.url }}', secret: '{{ callback.secret }}' },
        }),
        { id: 'wait', type: 'wait', ...more },
      ],
      { end: { output: { was: '{{ nodes.wait.approved }}' } } },
    );
  const stranger = new Client(service.url);
  const sentCallback = () => JSON.parse(received.at(-1)!.body) as { url: string; secret: string };
  const sign = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const callBack = (
    { url, secret }: { url: string; secret: string },
    body = '{"approved":true}',
    signature = sign(secret, body),
  ) =>
    stranger.send<{ status: string }>('POST', new URL(url).pathname, {
      rawBody: body,
      headers: { 'x-callback-signature': signature },
    });

  it('suspends the run until it is called back, once', async () => {
    const toolId = await deployedTool(tenant, { flow: waiting() });
    const { body } = await execute(tenant, toolId);
    expect(body).toStrictEqual({ runId: body.runId, status: 'suspended' });
    const details = await runOf(tenant, toolId, body.runId);
    expect(JSON.stringify(details)).not.toContain(sentCallback().secret);
    expect((await callBack(sentCallback(), '{"approved":true}', sign('other', '{"approved":true}'))).outcome).toBe(
      '401 CALLBACK_SIGNATURE_INVALID',
    );
    expect((await callBack(sentCallback(), '{"approved":true}', '')).outcome).toBe('401 CALLBACK_SIGNATURE_INVALID');
    expect((await callBack(sentCallback(), '{"approved":', sign(sentCallback().secret, '{"approved":'))).outcome).toBe(
      '400 MALFORMED_JSON',
    );
    expect((await callBack(sentCallback())).body).toMatchObject({ status: 'accepted' });
    expect((await callBack(sentCallback())).body).toMatchObject({ status: 'already_processed' });
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({ status: 'completed', output: { was: true } });
    expect((await callBack(sentCallback())).body).toMatchObject({ status: 'already_processed' });
  });

  it('does not wait for a callback that has come before', async () => {
    const flow = flowOf(
      [
        http({ method: 'POST', body: { url: '{{ callback.url }}', secret: '{{ callback.secret }}' } }),
        http({ id: 'slowly', url: `${there}/slow`, timeoutMs: 700 }),
        { id: 'wait', type: 'wait' },
      ],
      { edges: [{ from: 'slowly', to: 'wait', when: 'error' }] },
    );
    const toolId = await deployedTool(tenant, { flow });
    const { body } = await execute(tenant, toolId, {}, { isAsync: true });
    await eventually(() => received.length > 0);
    const first = JSON.parse(received[0]!.body) as { url: string; secret: string };
    expect((await callBack(first)).body).toMatchObject({ status: 'accepted' });
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({
      status: 'completed',
      output: { approved: true },
    });
  });

  it('fails if no callback comes in time, and refuses a later one', async () => {
    const toolId = await deployedTool(tenant, { flow: waiting({ timeoutSeconds: 1 }) });
    const { body } = await execute(tenant, toolId);
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({
      status: 'failed',
      error: { code: 'WAIT_TIMED_OUT' },
    });
    expect((await callBack(sentCallback())).outcome).toBe('401 CALLBACK_EXPIRED');
  });

  it('may be reached twice in a run, each time with a callback of its own', async () => {
    const say = { method: 'POST', body: { url: '{{ callback.url }}', secret: '{{ callback.secret }}' } };
    const flow = flowOf(
      [
        http({ id: 'a', ...say }),
        { id: 'first', type: 'wait' },
        http({ id: 'b', ...say }),
        { id: 'second', type: 'wait' },
      ],
      { end: { output: ['{{ nodes.first.n }}', '{{ nodes.second.n }}'] } },
    );
    const toolId = await deployedTool(tenant, { flow });
    const { body } = await execute(tenant, toolId);
    await callBack(sentCallback(), '{"n":1}');
    await eventually(() => received.length === 2);
    await eventually(async () => (await runOf(tenant, toolId, body.runId)).status === 'suspended');
    await callBack(sentCallback(), '{"n":2}');
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({ output: [1, 2] });
  });
});
