import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { deployedTool, endedRun, execute, flowDocument, flowOf, importTool, toolDocument } from './make.js';

const service = await startService();
const one = await makeTenant(service, { permissions: ['RUN_API'] });
const other = await makeTenant(service);
afterAll(() => service.stop());

/** On a quiet machine, the wait is less than a second. Before compute threads, these requests took 5 to 50 seconds. */
const WITHIN_MS = 4_000;
/** The time that runs compute, which is longer than any request may wait for them. */
const BUSY_MS = 5_000;

/** Returns the result of the work, and the longest time that requests to the process and of another project waited. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  let isOver = false;
  let longestMs = 0;
  const stranger = new Client(service.url);
  const ask = async (question: () => Promise<{ status: number }>) => {
    while (!isOver) {
      const begun = performance.now();
      expect((await question()).status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - begun);
      await turn();
    }
  };
  const asking = [ask(() => stranger.get('/health/live')), ask(() => other.api.get('/api/public/me'))];
  try {
    const result = await work();
    return { result, longestMs };
  } finally {
    isOver = true;
    await Promise.all(asking);
  }
}

function cycle(node: object): Record<string, unknown> {
  const nodes = [
    { id: 'start', type: 'start' },
    { id: 'again', ...node },
    { id: 'end', type: 'end' },
  ];
  const isCondition = 'expression' in node;
  const way = isCondition ? { when: 'false' } : {};
  const edges = [
    { from: 'start', to: 'again' },
    { from: 'again', to: 'again', ...way },
  ];
  if (!isCondition) return flowDocument(nodes, [...edges, { from: 'again', to: 'end', when: 'error' }]);
  const more = [
    { from: 'again', to: 'end', when: 'true' },
    { from: 'again', to: 'again', when: 'error' },
  ];
  return flowDocument(nodes, [...edges, ...more]);
}

const conditions = (many: number, expression: string) => {
  const nodes = Array.from({ length: many }, (_, at) => ({ id: `c${at}`, type: 'condition', expression }));
  const edges = nodes.flatMap(({ id }, at) => [
    { from: id, to: nodes[at + 1]?.id ?? 'end', when: 'true' },
    { from: id, to: 'end', when: 'false' },
  ]);
  const start = { from: 'start', to: 'c0' };
  return { nodes: [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end' }], edges: [start, ...edges] };
};

describe('no request waits for templates', () => {
  const list = Array.from({ length: 20_000 }, (_, at) => ({ a: { b: `${at % 7}x${(at * 7919) % 20_000}` } }));
  it.each([
    ['a long range in a condition', cycle({ type: 'condition', expression: '(1..9900000) == 5' })],
    ['a long loop', flowOf([], { end: { output: '{% for i in (1..9000000) %}{% endfor %}' } })],
    ['a long list that is sorted', flowOf([], { end: { output: '{{ input.list | sort: "a.b" | size }}'.repeat(10) } })],
    ['groups of a long list', flowOf([], { end: { output: '{{ input.list | group_by: "a.b" | size }}'.repeat(10) } })],
  ])('of another project: %s', async (_, flow) => {
    const toolId = await deployedTool(one, { flow });
    const { result, longestMs } = await watched(async () => {
      const started = await Promise.all(
        Array.from({ length: 6 }, () => execute(one, toolId, { list }, { isAsync: true, timeoutMs: BUSY_MS })),
      );
      return Promise.all(started.map(({ body }) => endedRun(one, toolId, body.runId)));
    });
    for (const { status, error } of result) {
      expect(status).toBe('failed');
      expect(error?.code).toMatch(/^(TEMPLATE_TIMED_OUT|TEMPLATE_TOO_LARGE|RUN_TIMED_OUT)$/);
    }
    expect(longestMs).toBeLessThan(WITHIN_MS);
  });
});

it('no request waits for the import of a document with very many conditions', async () => {
  const importer = await makeTenant(service, { permissions: ['SESSIONS_LIST'] });
  const flowOfMany = (flows: number, many: number, expression: string) => {
    const flow = (at: number) => ({ id: `f${at}`, name: 'F', ...conditions(many, expression) });
    return { schemaVersion: '1.0', callflows: Array.from({ length: flows }, (_, at) => flow(at)) };
  };
  const long = Array.from({ length: 222 }, () => 'a==1').join(' or ');
  const documents = [flowOfMany(27, 498, 'a==1 or b'), ...Array.from({ length: 5 }, () => flowOfMany(2, 450, long))];
  const { result, longestMs } = await watched(() =>
    Promise.all(documents.map((flow) => importTool(importer, { flow }))),
  );
  expect(result.map(({ status }) => status)).toEqual(documents.map(() => 'SUCCESS'));
  expect(longestMs).toBeLessThan(WITHIN_MS);
});

it('begins the script of a second project at once, whatever the scripts of the first do', async () => {
  const endless = { id: 's', type: 'script', code: 'while (true) {}', timeoutMs: BUSY_MS };
  const busyId = await deployedTool(one, { flow: flowOf([endless]) });
  const quickId = await deployedTool(other, { flow: flowOf([{ id: 's', type: 'script', code: 'return 1;' }]) });
  const started = await Promise.all(
    Array.from({ length: 6 }, () => execute(one, busyId, {}, { isAsync: true, timeoutMs: BUSY_MS })),
  );
  const { result, longestMs } = await watched(async () => {
    const begun = performance.now();
    const { body } = await execute(other, quickId);
    return { body, tookMs: performance.now() - begun };
  });
  expect(result.body).toMatchObject({ status: 'completed', output: 1 });
  expect(Math.max(longestMs, result.tookMs)).toBeLessThan(WITHIN_MS);
  for (const { body } of started) {
    expect((await endedRun(one, busyId, body.runId)).error?.code).toMatch(/^(RUN|SCRIPT)_TIMED_OUT$/);
  }
});

it('lets a script that waited for a thread run to its end, because only computing is limited', async () => {
  const busy = { id: 's', type: 'script', code: 'while (true) {}', timeoutMs: 500 };
  const quick = { id: 's', type: 'script', code: 'return 1;', timeoutMs: 300 };
  const busyId = await deployedTool(one, { flow: flowOf([busy]) });
  const quickId = await deployedTool(one, { flow: flowOf([quick]) });
  const started = await Promise.all(Array.from({ length: 5 }, () => execute(one, busyId, {}, { isAsync: true })));
  expect((await execute(one, quickId)).body).toMatchObject({ status: 'completed', output: 1 });
  for (const { body } of started) {
    expect((await endedRun(one, busyId, body.runId)).error?.code).toBe('SCRIPT_TIMED_OUT');
  }
});

describe('a run', () => {
  it('has a limit of computing time, whichever processes drive it', async () => {
    const outside = createServer().listen(0, '127.0.0.1');
    await once(outside, 'listening');
    const asked = once(outside, 'request');
    const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const callback = { url: '{{ callback.url }}', secret: '{{ callback.secret }}' };
    const flow = flowOf([
      { id: 'tell', type: 'http', method: 'POST', url, body: callback },
      { id: 'wait', type: 'wait' },
      { id: 's', type: 'script', code: 'return 1;' },
    ]);
    const toolId = await deployedTool(one, { flow });
    const executed = execute(one, toolId);
    const [request, response] = (await asked) as [IncomingMessage, ServerResponse];
    const sent = JSON.parse(await text(request)) as typeof callback;
    response.end();
    const { body } = await executed;
    outside.close();
    expect(body.status).toBe('suspended');
    await service.database.rows('update tool_run set computed_ms = 60000 where id = $1', [body.runId]);
    const signature = `sha256=${createHmac('sha256', sent.secret).update('{}').digest('hex')}`;
    const headers = { 'x-callback-signature': signature };
    await new Client(service.url).send('POST', new URL(sent.url).pathname, { rawBody: '{}', headers });
    expect(await endedRun(one, toolId, body.runId)).toMatchObject({
      status: 'failed',
      error: { code: 'RUN_COMPUTE_EXCEEDED', message: expect.stringContaining('60 s') as string },
    });
  });

  it('records the time that it has computed', async () => {
    const code = 'let n = 0; for (let i = 0; i < 3e6; i++) n += i; return n;';
    const toolId = await deployedTool(one, { flow: flowOf([{ id: 's', type: 'script', code, timeoutMs: 10_000 }]) });
    const { body } = await execute(one, toolId);
    expect(body.status).toBe('completed');
    const [run] = await service.database.rows<{ computed_ms: number }>(
      'select computed_ms from tool_run where id = $1',
      [body.runId],
    );
    expect(run!.computed_ms).toBeGreaterThan(10);
  });

  it('keeps no more than one answer can contain', async () => {
    const flow = cycle({ type: 'script', code: 'return "x".repeat(1e6);', timeoutMs: 5_000 });
    const toolId = await deployedTool(one, { flow });
    const { body } = await execute(one, toolId);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'RUN_TOO_LARGE' } });
  });
});

it('no request waits for inputs that take long to be compared with their schema', async () => {
  const long = { pattern: '(?:a|b|[ab][ab]){1,100}[xyz]' };
  const toolId = await deployedTool(one, {
    tool: toolDocument({ inputSchema: { type: 'object', properties: { text: long } } }),
  });
  const { result, longestMs } = await watched(() =>
    Promise.all(Array.from({ length: 16 }, () => execute(one, toolId, { text: 'ab'.repeat(10_000) }))),
  );
  for (const { outcome } of result) expect(outcome).toBe('400 TOOL_INPUT_INVALID');
  expect(longestMs).toBeLessThan(WITHIN_MS);
  expect((await execute(one, toolId, { text: 'abx' })).body.status).toBe('completed');
});

it('runs a tool once for an Idempotency-Key if its input is checked in a thread', async () => {
  const inputSchema = { type: 'object', properties: { day: { type: 'string', format: 'date' } } };
  const toolId = await deployedTool(one, { tool: toolDocument({ inputSchema }) });
  const send = (day: string) => {
    const headers = { 'idempotency-key': `once-${day}` };
    return one.api.post<{ runId: string }>(`/api/public/tools/${toolId}/execute`, { input: { day } }, { headers });
  };
  const { body } = await send('2026-11-23');
  expect(body).toMatchObject({ status: 'completed', output: { day: '2026-11-23' } });
  expect((await send('2026-11-23')).body.runId).toBe(body.runId);
  expect((await send('tomorrow')).outcome).toBe('400 TOOL_INPUT_INVALID');
});

it('no request waits while secrets in long texts are masked', async () => {
  const code = 'return Array(400000).fill(1);';
  const toolId = await deployedTool(one, { flow: flowOf([{ id: 's', type: 'script', code, timeoutMs: 5_000 }]) });
  const { result, longestMs } = await watched(() =>
    Promise.all(Array.from({ length: 10 }, () => execute(one, toolId))),
  );
  for (const { body } of result) expect(body.status).toBe('completed');
  expect(longestMs).toBeLessThan(WITHIN_MS);
});
