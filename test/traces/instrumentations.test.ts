import { type Call, read } from '../ledger/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { exportOf, sent, tracesOf, treeOf } from './spans.js';
import { recorded, spansIn, TREES } from './trees.js';

const service = await startService();
afterAll(() => service.stop());

async function calls(tenant: Tenant): Promise<Call[]> {
  return (await read(tenant, { dataMode: 'full', sortOrder: 'asc' })).body.generations;
}

const OSLO = 'It is 4 degrees in Oslo.';
const GENERATION = (name: string) => ({ name, type: 'GENERATION', within: [] });
const SPAN = (name: string, ...within: object[]) => ({ name, type: 'SPAN', within });

it('spans of the Vercel AI SDK are understood: its steps are calls, and the spans around them are not', async () => {
  const tenant = await makeTenant(service);
  await sent(tenant, recorded('vercel-ai-sdk'));
  const traces = await tracesOf(service, tenant);
  expect(traces.map((trace) => treeOf(trace))).toEqual([
    [
      SPAN(
        'ai.generateText',
        GENERATION('ai.generateText.doGenerate'),
        SPAN('ai.toolCall'),
        GENERATION('ai.generateText.doGenerate'),
      ),
    ],
    [SPAN('ai.streamText', GENERATION('ai.streamText.doStream'))],
    [SPAN('ai.generateText', GENERATION('ai.generateText.doGenerate'))],
  ]);
  expect(traces[0]).toMatchObject({ input: '{"prompt":"How cold is Oslo?"}', output: OSLO });
  expect(traces[0]!.observations[2]).toMatchObject({ input: '{"city":"Oslo"}', output: '{"degrees":4}' });

  const [asking, answering, streaming, failed, ...more] = await calls(tenant);
  expect(more).toEqual([]);
  const ofAll = { provider: 'openai', agentName: 'weather-desk', sessionId: 'chat-17' };
  expect(asking).toMatchObject({ ...ofAll, inputTokens: 120, outputTokens: 30, streamingUsed: false });
  expect(asking!.payload).toMatchObject({
    request: { messages: [{ role: 'user', content: 'How cold is Oslo?' }] },
    response: { text: expect.stringContaining('get_weather') as string },
  });
  expect(answering!.payload).toMatchObject({ response: { text: OSLO } });
  expect(streaming).toMatchObject({
    ...ofAll,
    model: 'gpt-4o-2024-08-06',
    inputTokens: 120,
    cachedTokens: 64,
    completionTokens: 20,
    reasoningTokens: 10,
    outputTokens: 30,
    timeToFirstTokenMs: 326,
    streamingUsed: true,
    cost: 0.00052,
  });
  expect(failed).toMatchObject({ ...ofAll, model: 'gpt-broken', status: 'failed', statusCode: 500, cost: 0 });
  expect(traces[2]!.observations[1]).toMatchObject({ status: 'failed', statusMessage: 'The model does not exist' });
});

it('spans of OpenInference for LangChain are understood', async () => {
  const tenant = await makeTenant(service);
  await sent(tenant, recorded('openinference-langchain'));
  const [trace, ...others] = await tracesOf(service, tenant);
  expect(others).toEqual([]);
  expect(treeOf(trace!)).toEqual([
    SPAN('RunnableSequence', SPAN('ChatPromptTemplate'), GENERATION('ChatOpenAI'), SPAN('StrOutputParser')),
  ]);
  expect(trace).toMatchObject({ input: 'How cold is Oslo?', output: OSLO });

  const [good, failed, ...more] = await calls(tenant);
  expect(more).toEqual([]);
  expect(good).toMatchObject({
    model: 'gpt-4o',
    sessionId: 'chat-17',
    traceId: trace!.traceId,
    inputTokens: 120,
    cachedTokens: 64,
    completionTokens: 20,
    reasoningTokens: 10,
    cost: 0.00052,
    payload: {
      request: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'How cold is Oslo?' },
        ],
      },
      response: { text: OSLO },
    },
  });
  expect(failed).toMatchObject({ model: 'gpt-broken', status: 'failed', sessionId: '' });
});

it('spans of OpenLLMetry for OpenAI’s client are understood, by the current conventions', async () => {
  const tenant = await makeTenant(service);
  await sent(tenant, recorded('openllmetry-openai'));
  const [trace, ...others] = await tracesOf(service, tenant);
  expect(others).toEqual([]);
  expect(treeOf(trace!)).toEqual([
    SPAN(
      'weather_desk.workflow',
      GENERATION('chat gpt-4o'),
      // These two began at the same time by the clock of their sender, so the longer one comes first.
      SPAN('answer.task', GENERATION('chat gpt-4o')),
      SPAN('get_weather.tool'),
    ),
  ]);
  const [asking, answering, ...more] = await calls(tenant);
  expect(more).toEqual([]);
  expect(asking).toMatchObject({
    provider: 'openai',
    agentName: 'weather_desk',
    sessionId: 'chat-17',
    inputTokens: 120,
  });
  expect(answering!.payload).toMatchObject({
    request: { messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }, {}, {}] },
    response: { text: OSLO },
  });
});

it.each(TREES)(
  '%s yields the same traces if its spans arrive one by one, in any order and repeatedly',
  async (name) => {
    const [whole, pieces] = [await makeTenant(service), await makeTenant(service)];
    const tree = recorded(name);
    await sent(whole, tree);
    for (const span of spansIn(tree)) await sent(pieces, exportOf([span]));
    for (const span of spansIn(tree).toReversed()) await sent(pieces, exportOf([span, span]));

    const shapes = async (tenant: Tenant) => (await tracesOf(service, tenant)).map((trace) => treeOf(trace));
    expect(await shapes(pieces)).toEqual(await shapes(whole));
    const names = async (tenant: Tenant) => (await calls(tenant)).map(({ callId }) => callId);
    expect(await names(pieces)).toEqual(await names(whole));
  },
);
