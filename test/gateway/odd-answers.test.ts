import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, connectTo, ledgerOf } from './calls.js';
import { startOddProvider } from './odd-provider.js';

const provider = await startOddProvider();
const service = await startService({ MODEL_TIMEOUT_SECONDS: '8' });
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const DESCRIBED = { payload: { prompt: '{{ prompt }}' }, outputPath: 'out.text', llmFeatures: { streaming: true } };

describe('a stream of a described endpoint', () => {
  it.each(['{"error":{"code":"overloaded"}}', '{"error":"no more","out":{"text":"lo"}}'])(
    'fails if an event has an error: %s',
    async (error) => {
      const tenant = await makeTenant(service);
      provider.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: {"error":null,"out":{"text":"Hel"}}\n\ndata: ${error}\n\n`);
      };
      const { text } = await ask(tenant, await connectTo(tenant, provider, '', DESCRIBED), { stream: true });
      expect(text).toContain('"content":"Hel"');
      expect(text.trim().split('\n\n').at(-1)).toContain('MODEL_CALL_FAILED');
      expect(text).not.toContain('[DONE]');
      expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', payload: { response: { text: 'Hel' } } }]);
    },
  );

  it('may have its token counts in different events', async () => {
    const tenant = await makeTenant(service);
    provider.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = [{ usage: { read: 21, written: 1 } }, { out: { text: 'Hello' } }, { usage: { written: 4 } }];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    };
    const paths = { inputTokensPath: 'usage.read', outputTokensPath: 'usage.written' };
    const model = await connectTo(tenant, provider, '', { ...DESCRIBED, ...paths });
    expect((await ask(tenant, model, { stream: true })).text).toContain('[DONE]');
    expect(await ledgerOf(tenant)).toMatchObject([{ inputTokens: 21, completionTokens: 4 }]);
  });
});

it.each([
  ['not JSON', '<html>', false],
  ['JSON without the answer', '{"out":{}}', false],
  ['not JSON, though a stream was asked for', '<html>', true],
])('the ledger has the status of a described endpoint whose answer is %s', async (_, body, stream) => {
  const tenant = await makeTenant(service);
  provider.answer = (_request, response) => {
    response.writeHead(203, { 'content-type': 'application/json' }).end(body);
  };
  const { outcome } = await ask(tenant, await connectTo(tenant, provider, '', DESCRIBED), { stream });
  expect(outcome).toBe('502 MODEL_CALL_FAILED');
  expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', statusCode: 203, payload: { response: null } }]);
});

describe('the size of an answer', () => {
  const MIB = 1024 * 1024;
  const answerWith = (contentType: string, body: string) => {
    provider.answer = (_, response) => void response.writeHead(200, { 'content-type': contentType }).end(body);
  };
  const members = (bytes: number) => `[{}${',{}'.repeat(bytes / 3)}]`;
  const CONTENT = { index: 0, delta: { content: 'Hello' } };
  const ENDED = { index: 0, delta: {}, finish_reason: 'stop' };
  const event = (choice: object, more = '') => `data: {"id":"1","choices":[${JSON.stringify(choice)}]${more}}\n\n`;

  it.each([
    ['whole, past 4 MiB', 'application/json', members(4 * MIB), false],
    ['whole, though a stream was asked for', 'application/json', members(4 * MIB), true],
    ['as events, though none were asked for', 'text/event-stream', `[{}${',\n\n{}'.repeat(MIB)}]`, false],
    ['in one event of more than 1 MiB', 'text/event-stream', event(CONTENT, `,"more":${members(MIB)}`), true],
    ['in one event of many lines', 'text/event-stream', `data: [\n${'x\r\ndata: {},\n'.repeat(MIB / 10)}`, true],
  ])('is limited if it comes %s', async (_, contentType, body, stream) => {
    const tenant = await makeTenant(service);
    answerWith(contentType, body);
    const answer = await ask(tenant, await connectTo(tenant, provider), { stream });
    expect(answer.outcome).toBe('502 MODEL_CALL_FAILED');
    expect(answer.text).toContain('sent an answer that exceeds the size limit');
    expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', statusCode: 200 }]);
  });

  const line = (more = '') => `{"out":{"text":"Hello"}${more}}\n`;
  const streamOf = async (contentType: string, body: string) => {
    const tenant = await makeTenant(service);
    answerWith(contentType, body);
    return ask(tenant, await connectTo(tenant, provider, '', DESCRIBED), { stream: true });
  };

  it('is limited to 1 MiB in one line', async () => {
    const { text } = await streamOf('application/x-ndjson', line() + line(`,"more":"${'x'.repeat(MIB)}"`));
    expect(text).toContain('sent an answer that exceeds the size limit');
  });

  it.each([
    ['APPLICATION/X-NDJSON; charset=utf-8', ''],
    ['application/jsonl', '\r'],
    ['Text/Event-Stream', '\n'],
  ])('may be larger in a described stream of many parts: %s', async (contentType, end) => {
    const part = line(`,"more":"${'x'.repeat(MIB / 2)}"`).trimEnd();
    const { text } = await streamOf(contentType, `${part}${end}\n`.repeat(12));
    expect(text.match(/Hello/g)).toHaveLength(12);
    expect(text.trim()).toMatch(/\[DONE\]$/);
  });

  it('may be larger in a stream of many events', async () => {
    const tenant = await makeTenant(service);
    const many = event(CONTENT, `,"more":"${'x'.repeat(MIB / 2)}"`).repeat(12);
    answerWith('text/event-stream', `${many}${event(ENDED)}data: [DONE]\n\n`);
    const { text } = await ask(tenant, await connectTo(tenant, provider), { stream: true });
    expect(text.match(/Hello/g)).toHaveLength(12);
    expect(text.trim()).toMatch(/\[DONE\]$/);
  });

  it('does not depend on the pieces in which it arrives', async () => {
    const tenant = await makeTenant(service);
    provider.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const lines = ['One ', 'tẅo ', 'three'].map((text) => `${JSON.stringify({ out: { text } })}\r\n`).join('');
      for (const byte of Buffer.from(lines.trimEnd())) response.write(Buffer.of(byte));
      response.end();
    };
    const { text } = await ask(tenant, await connectTo(tenant, provider, '', DESCRIBED), { stream: true });
    for (const piece of ['"One "', '"tẅo "', '"three"']) expect(text).toContain(`"content":${piece}`);
  });
});

it('a stream ends when its provider says so, even if the connection stays open', async () => {
  const tenant = await makeTenant(service);
  const left = Promise.withResolvers<void>();
  provider.answer = (_, response) => {
    response.on('close', left.resolve).writeHead(200, { 'content-type': 'text/event-stream' });
    const choice = { index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    response.write(`data: ${JSON.stringify({ id: 'c', model: 'llama', choices: [choice], usage })}\n\ndata: [DO`);
    setImmediate(() => response.write('NE]\n\ndata: {"more":'));
  };
  const { text } = await ask(tenant, await connectTo(tenant, provider), { stream: true });
  expect(text).toContain('"content":"Hello"');
  expect(text).not.toContain('MODEL_CALL_FAILED');
  expect(text.trim()).toMatch(/data: \[DONE\]$/);
  expect(await ledgerOf(tenant)).toMatchObject([{ status: 'success', completionTokens: 1 }]);
  await left.promise;
});

it('all attempts of a call share one timeout', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, provider);
  const before = provider.asked;
  provider.answer = (_, response) => {
    setTimeout(() => response.writeHead(503).end(), 5_000);
  };
  const begun = performance.now();
  const { outcome, text } = await ask(tenant, model);
  expect(performance.now() - begun).toBeLessThan(12_000);
  expect(outcome).toBe('502 MODEL_CALL_FAILED');
  expect(text).toContain('did not answer in time');
  expect(provider.asked - before).toBe(2);
  expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', statusCode: 500 }]);
});

it.each([false, true])('the pause that a 503 asks for is passed on (streaming: %s)', async (stream) => {
  const tenant = await makeTenant(service);
  provider.answer = (_, response) => void response.writeHead(503, { 'retry-after': '60' }).end();
  const before = provider.asked;
  const answer = await ask(tenant, await connectTo(tenant, provider), { stream });
  expect(answer.outcome).toBe('503 MODEL_UNAVAILABLE');
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(provider.asked - before).toBe(1);
});

it.each([['1'.repeat(400)], ['1000000000000000000000000000000'], ['Fri, 31 Dec 9999 23:59:59 GMT']])(
  'a pause that a provider asks for is passed on up to a day (%s)',
  async (asked) => {
    const tenant = await makeTenant(service);
    provider.answer = (_, response) => void response.writeHead(503, { 'retry-after': asked }).end();
    const answer = await ask(tenant, await connectTo(tenant, provider));
    expect(answer.outcome).toBe('503 MODEL_UNAVAILABLE');
    expect(answer.headers.get('retry-after')).toBe('86400');
  },
);
