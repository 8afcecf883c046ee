import { administratorOf, makeTenant } from '../support/actors.js';
import { BLOCKED, GEMINI_USAGE } from '../support/providers/gemini.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { OLLAMA_USAGE } from '../support/providers/ollama.js';
import { startService } from '../support/service.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { ask, ledgerOf } from '../gateway/calls.js';
import { deployedTool, flowOf } from '../tools/make.js';
import { create, KEY, makeConnection } from './make.js';

const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

interface Protocol {
  provider: string;
  model: string;
  fields: { API_KEY: string };
  /** The request that a call sends. */
  sent: { path: string; streamPath: string; headers: object; body: object };
  tokens: { inputTokens: number; cachedTokens: number; completionTokens: number; reasoningTokens: number };
  ledgerName: string;
}

const PROTOCOLS: Protocol[] = [
  {
    provider: 'Ollama',
    model: 'llama3.2',
    fields: { API_KEY: KEY },
    sent: {
      path: '/api/chat',
      streamPath: '/api/chat',
      headers: { authorization: `Bearer ${KEY}` },
      body: {
        model: 'llama3.2',
        stream: false,
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Hello' },
        ],
        options: { temperature: 0.5, num_predict: 50, stop: ['END'], seed: 7 },
      },
    },
    tokens: {
      inputTokens: OLLAMA_USAGE.prompt_eval_count,
      cachedTokens: 0,
      completionTokens: OLLAMA_USAGE.eval_count,
      reasoningTokens: 0,
    },
    ledgerName: 'ollama',
  },
  {
    provider: 'Gemini',
    model: 'gemini-2.5-flash',
    fields: { API_KEY: KEY },
    sent: {
      path: '/models/gemini-2.5-flash:generateContent',
      streamPath: '/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      headers: { 'x-goog-api-key': KEY },
      body: {
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { temperature: 0.5, maxOutputTokens: 50, stopSequences: ['END'], seed: 7 },
      },
    },
    tokens: {
      inputTokens: GEMINI_USAGE.promptTokenCount,
      cachedTokens: GEMINI_USAGE.cachedContentTokenCount,
      completionTokens: GEMINI_USAGE.candidatesTokenCount,
      reasoningTokens: GEMINI_USAGE.thoughtsTokenCount,
    },
    ledgerName: 'google',
  },
];

const messages = [
  { role: 'system', content: 'Be brief' },
  { role: 'user', content: 'Hello' },
];
const BRIEF = { messages, temperature: 0.5, max_tokens: 50, stop: 'END', seed: 7 };

describe.each(PROTOCOLS)('$provider', ({ provider, model, fields, sent, tokens, ledgerName }) => {
  const connectTo = async (owner = tenant, behaviour = '', more: object = {}): Promise<string> => {
    const BASE_URL = `${double.url}${behaviour && `/${behaviour}`}`;
    return (await makeConnection(owner, { provider, model, fields: { BASE_URL, ...fields }, ...more })).connectionId;
  };
  const test = async (connectionId: string): Promise<object> => {
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}/test`;
    return (await administratorOf(service).post<{ data: object }>(path)).body.data;
  };

  it('is called in its own format, and the ledger has the call with its tokens', async () => {
    const own = await makeTenant(service);
    const { body } = await ask(own, await connectTo(own), BRIEF);
    expect(body.choices[0]).toMatchObject({ message: { content: 'You said: Hello' }, finish_reason: 'stop' });
    expect(double.last).toMatchObject({ path: sent.path, headers: sent.headers, body: sent.body });
    expect(await ledgerOf(own)).toMatchObject([{ model, provider: ledgerName, status: 'success', ...tokens }]);
  });

  it('streams its answer, and the ledger has the tokens', async () => {
    const own = await makeTenant(service);
    const { text } = await ask(own, await connectTo(own), { stream: true });
    const pieces = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe('You said: Hello');
    expect(text).toContain('[DONE]');
    expect(double.last.path).toBe(sent.streamPath);
    expect(await ledgerOf(own)).toMatchObject([{ streamingUsed: true, provider: ledgerName, ...tokens }]);
  });

  it.each([[false], [true]])('calls a tool, streamed: %s', async (stream) => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
    const { text } = await ask(tenant, await connectTo(), { tools, stream });
    expect(text).toContain('weather');
    expect(text).toContain(String.raw`{\"city\":\"Oslo\"}`);
    expect(text).toContain('"finish_reason":"tool_calls"');
  });

  it('calls a tool in the run of an agent, and answers with its output', async () => {
    const own = await makeTenant(service);
    const toolId = await deployedTool(own, { flow: flowOf([], { end: { output: { place: 'Oslo' } } }) });
    await makeActiveAgent(service, own, { toolIds: [toolId], connectionId: await connectTo(own) });
    const { body } = await say(own, 'tool', 'Where is it?');
    expect(body).toMatchObject({ status: 'completed', usage: { calls: 2, toolCalls: 1 } });
    expect(body.output[0]!.content).toContain('Oslo');
    expect(await ledgerOf(own)).toMatchObject([{ provider: ledgerName }, { provider: ledgerName }]);
  });

  it.each([
    ['no-key', '502 MODEL_CALL_FAILED', 401, 'The provider refused the key.'],
    ['unknown', '502 MODEL_CALL_FAILED', 404, 'The provider does not know the model or the address.'],
    ['busy', '503 MODEL_UNAVAILABLE', 429, 'The provider does not accept more requests at the moment.'],
    ['failing', '502 MODEL_CALL_FAILED', 500, 'The provider failed.'],
    ['html', '502 MODEL_CALL_FAILED', 200, 'The provider sent an answer that cannot be read.'],
  ])('fails with the reason of its provider: %s', async (behaviour, outcome, status, reason) => {
    const connectionId = await connectTo(tenant, behaviour);
    const answer = await ask(tenant, connectionId);
    expect(answer.outcome).toBe(outcome);
    expect(answer.body).toMatchObject({ error: { details: { providerStatus: status } } });
    expect(await test(await connectTo(tenant, behaviour))).toMatchObject({ ok: false, reason });
  });

  it('is called again when it has too many requests', async () => {
    expect((await ask(tenant, await connectTo(tenant, 'busy-once'))).outcome).toBe('200');
  });

  it('is tested with a real call', async () => {
    expect(await test(await connectTo())).toMatchObject({ ok: true, model, reason: null });
  });

  it('is refused with an address in a closed network', async () => {
    const body = { provider, model, fields: { ...fields, BASE_URL: 'http://169.254.169.254/' } };
    expect((await create(tenant, body)).outcome).toBe('400 ADDRESS_NOT_ALLOWED');
  });
});

describe('Ollama', () => {
  const connectTo = async (model = 'llama3.2') => {
    return (await makeConnection(tenant, { provider: 'ollama', model, fields: { BASE_URL: double.url } })).connectionId;
  };
  const picture = (url: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];

  it('needs no key', async () => {
    await ask(tenant, await connectTo());
    expect(double.last.headers.authorization).toBeUndefined();
  });

  it('gets images and schemas', async () => {
    const json_schema = { name: 'place', schema: { type: 'object', properties: {} } };
    const response_format = { type: 'json_schema', json_schema };
    const messages = picture('data:image/png;base64,iVBORw0KGgo=');
    expect((await ask(tenant, await connectTo(), { messages, response_format })).outcome).toBe('200');
    expect(double.last.body).toMatchObject({ messages: [{ images: ['iVBORw0KGgo='] }], format: json_schema.schema });
  });

  it.each([
    ['the address of an image', { messages: picture('https://example.com/a.png') }],
    ['a tool that has to be called', { tool_choice: 'required' }],
  ])('is not sent %s', async (_, more) => {
    expect((await ask(tenant, await connectTo(), more)).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
  });

  it('says in its test that the server does not have the model', async () => {
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${await connectTo('llama9')}/test`;
    const { body } = await administratorOf(service).post<{ data: object }>(path);
    const reason = 'The server does not have the model llama9. `ollama pull llama9` fetches it.';
    expect(body.data).toMatchObject({ ok: false, reason });
  });
});

describe('Gemini', () => {
  const connectTo = async (behaviour = '') => {
    const BASE_URL = `${double.url}${behaviour && `/${behaviour}`}`;
    const body = { provider: 'gemini', model: 'gemini-2.5-flash', fields: { BASE_URL, API_KEY: KEY } };
    return (await makeConnection(tenant, body)).connectionId;
  };
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];

  it('gets the results of tools together, and the signatures of its thoughts', async () => {
    const connectionId = await connectTo();
    const { body } = await ask(tenant, connectionId, { tools });
    const called = body.choices[0]!.message.tool_calls![0]!;
    const other = { ...called, id: 'call_of_another_model' };
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null, tool_calls: [called, other] },
      { role: 'tool', tool_call_id: called.id, content: '{"sky":"blue"}' },
      { role: 'tool', tool_call_id: other.id, content: 'grey' },
    ];
    expect((await ask(tenant, connectionId, { tools, tool_choice: 'required', messages })).outcome).toBe('200');
    const functionCall = { name: 'weather', args: { city: 'Oslo' } };
    expect(double.last.body).toMatchObject({
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ functionCall, thoughtSignature: 'c2lnbmVk' }, { functionCall }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'weather', response: { sky: 'blue' } } },
            { functionResponse: { name: 'weather', response: { result: 'grey' } } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('gets schemas and files', async () => {
    const json_schema = { name: 'place', schema: { type: 'object', properties: {} } };
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const response_format = { type: 'json_schema', json_schema };
    expect((await ask(tenant, await connectTo(), { messages, response_format })).outcome).toBe('200');
    expect(double.last.body).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: json_schema.schema },
    });
  });

  it.each([[false], [true]])('says that its filter stopped the answer, streamed: %s', async (stream) => {
    const messages = [{ role: 'user', content: BLOCKED }];
    const { text } = await ask(tenant, await connectTo(), { messages, stream });
    expect(text).toContain('"finish_reason":"content_filter"');
  });

  it('refuses the key in its own way', async () => {
    const { body } = await ask(tenant, await connectTo('invalid-key'));
    expect(body).toMatchObject({ error: { details: { reason: 'refused the key', providerStatus: 401 } } });
  });

  it('says when to call again', async () => {
    const { outcome, headers } = await ask(tenant, await connectTo('out-of-quota'));
    expect([outcome, headers.get('retry-after')]).toEqual(['503 MODEL_UNAVAILABLE', '23']);
  });
});
