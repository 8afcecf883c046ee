import { type Call, read } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aSpan, attributesOf, CHAT, exportOf, nanoseconds, sent } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

type Given = NonNullable<Parameters<typeof aSpan>[0]>;

async function callsOf(given: Given): Promise<Call[]> {
  const tenant = await makeTenant(service);
  await sent(tenant, exportOf([aSpan(given)]));
  return (await read(tenant, { dataMode: 'full' })).body.generations;
}

const model = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 5 };

it.each<[string, Record<string, string | number>]>([
  ['an agent', { ...model, 'gen_ai.operation.name': 'invoke_agent' }],
  ['a tool', { ...model, 'gen_ai.operation.name': 'execute_tool' }],
  ['an embedding', { ...model, 'gen_ai.operation.name': 'embeddings' }],
  ['an embedding of before', { ...model, 'llm.request.type': 'embedding' }],
  ['a chain of OpenInference', { ...model, 'openinference.span.kind': 'CHAIN' }],
  ['an agent of OpenInference that calls itself chat', { ...CHAT, 'openinference.span.kind': 'AGENT' }],
  ['a workflow of Traceloop', { ...model, 'traceloop.span.kind': 'workflow' }],
  ['what runs around the steps of the Vercel AI SDK', { ...model, 'ai.operationId': 'ai.streamText' }],
  ['a span with a model that used nothing', { 'gen_ai.request.model': 'gpt-4o' }],
])('%s is not a call of a model', async (_, attributes) => {
  expect(await callsOf({ attributes })).toEqual([]);
});

it.each<[string, Given, object]>([
  [
    'OpenLLMetry as it was',
    {
      attributes: {
        'llm.request.type': 'chat',
        'gen_ai.system': 'OpenAI',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.prompt_tokens': 100,
        'gen_ai.usage.completion_tokens': 20,
        'gen_ai.usage.cache_read_input_tokens': 40,
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'How cold is it?',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': '4 degrees.',
      },
    },
    {
      provider: 'openai',
      inputTokens: 100,
      cachedTokens: 40,
      outputTokens: 20,
      payload: {
        request: { messages: [{ role: 'user', content: 'How cold is it?' }] },
        response: { text: '4 degrees.' },
      },
    },
  ],
  [
    'a span that only has a model and tokens',
    { attributes: { 'llm.request.model': 'gpt-4o', 'llm.usage.prompt_tokens': 7, 'llm.usage.completion_tokens': 3 } },
    { model: 'gpt-4o', provider: 'unknown', totalTokens: 10 },
  ],
  [
    'contents in events, as they were',
    {
      attributes: CHAT,
      events: [
        {
          name: 'gen_ai.content.prompt',
          attributes: attributesOf({ 'gen_ai.prompt': '[{"role":"user","content":"Hello"}]' }),
        },
      ],
    },
    { payload: { request: { messages: [{ role: 'user', content: 'Hello' }] }, response: null } },
  ],
  [
    'seconds to the first chunk',
    { attributes: { ...CHAT, 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': 0.31 } },
    { timeToFirstTokenMs: 310, streamingUsed: true },
  ],
  [
    'an event at the first token',
    {
      attributes: CHAT,
      from: Date.now() - 60_000,
      to: Date.now() - 50_000,
      events: [{ name: 'First Token Stream Event', timeUnixNano: nanoseconds(Date.now() - 59_000) }],
    },
    { timeToFirstTokenMs: expect.closeTo(1000, -3) as number, streamingUsed: true },
  ],
  [
    'a stream without its first chunk',
    { attributes: { ...CHAT, 'llm.is_streaming': true } },
    { streamingUsed: true, timeToFirstTokenMs: null },
  ],
  [
    'cached tokens that were counted beside the input',
    { attributes: { ...CHAT, 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read.input_tokens': 90 } },
    { inputTokens: 100, cachedTokens: 90 },
  ],
  [
    'reasoning as part of the output',
    { attributes: { ...CHAT, 'gen_ai.usage.reasoning.output_tokens': 90 } },
    { completionTokens: 6, reasoningTokens: 90, outputTokens: 96 },
  ],
  [
    'reasoning beside the output',
    { attributes: { ...CHAT, 'gen_ai.usage.reasoning.output_tokens': 100 } },
    { completionTokens: 96, reasoningTokens: 100, outputTokens: 196 },
  ],
  [
    'messages of which not all can be stored',
    {
      attributes: {
        ...CHAT,
        'gen_ai.input.messages': String.raw`[{"role":"a\u0000","parts":[{"type":"data","b\ud800":["\udfff","\ud83d\ude00"]}]}]`,
        'gen_ai.output.messages': String.raw`[{"role":"assistant","content":"c\u0000\ud800"}]`,
      },
    },
    {
      payload: {
        request: { messages: [{ role: 'a\ufffd', content: [{ type: 'data', 'b\ufffd': ['\ufffd', '😀'] }] }] },
        response: { text: 'c\ufffd\ufffd' },
      },
    },
  ],
  ['a cost of the sender’s own', { attributes: { ...CHAT, 'llm.cost.total': 0.5 } }, { cost: 0.5 }],
  [
    'numbers out of range',
    { attributes: { ...CHAT, 'gen_ai.usage.input_tokens': -5, 'gen_ai.usage.output_tokens': 1e300 } },
    { inputTokens: 0, outputTokens: 2_147_483_647 },
  ],
])('the conventions are understood: %s', async (_, given, wanted) => {
  expect(await callsOf(given)).toMatchObject([wanted]);
});
