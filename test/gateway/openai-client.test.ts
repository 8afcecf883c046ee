import OpenAI from 'openai';
import { makeTenant, type Tenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { connectTo, ledgerOf } from './calls.js';

/** The official client, unmodified, so that software that is built on it works as well. */
const double = await ModelDouble.start();
const service = await startService({
  VENDOR1_BASE_URL: double.url,
  CLOUDVENDOR1_BASE_URL: double.url,
  VENDOR2_BASE_URL: double.url,
});
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const clientOf = ({ key }: { key: string }) =>
  new OpenAI({ baseURL: `${service.url}/api/public/llm/v1`, apiKey: key, maxRetries: 0 });

const MESSAGES = [{ role: 'user' as const, content: 'Is it cold in Oslo?' }];
const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** Makes a model of each kind of provider. */
const MODELS: Record<string, (tenant: Tenant) => Promise<string>> = {
  mock: async () => 'mock',
  Vendor1: async (tenant) => (await makeConnection(tenant, BODIES.Vendor1)).connectionId,
  CloudVendor1: async (tenant) => (await makeConnection(tenant, BODIES.CloudVendor1)).connectionId,
  Vendor2: async (tenant) => (await makeConnection(tenant, BODIES.Vendor2)).connectionId,
  'API as OpenAI': (tenant) => connectTo(tenant, double),
  'API mapped to vendor2Model': (tenant) =>
    connectTo(tenant, double, '', { mapProvider: 'vendor2Model', IOMapping: 'textToText' }),
};

describe.each(Object.keys(MODELS))('a model of %s', (name) => {
  let tenant: Tenant;
  let model: string;
  beforeAll(async () => {
    tenant = await makeTenant(service);
    model = await MODELS[name]!(tenant);
  });

  it('answers', async () => {
    const completion = await clientOf(tenant).chat.completions.create({ model, messages: MESSAGES });
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
    expect(completion.choices[0]!.message.content).toContain('You said:');
    expect(completion.choices[0]!.message.content).toContain('Oslo');
    expect(completion.usage!.total_tokens).toBeGreaterThan(0);
  });

  it('streams the same answer', async () => {
    const stream = clientOf(tenant).chat.completions.stream({
      model,
      messages: MESSAGES,
      stream_options: { include_usage: true },
    });
    let chunks = 0;
    for await (const chunk of stream) chunks += chunk.choices[0]?.delta.content ? 1 : 0;
    const completion = await stream.finalChatCompletion();
    expect(chunks).toBeGreaterThan(3);
    expect(completion.choices[0]!.message.content).toContain('Oslo');
    expect(completion.usage!.total_tokens).toBeGreaterThan(0);
  });

  it.each([false, true])('calls a tool and continues with its result (streaming: %s)', async (isStream) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Ask for the weather in Oslo' }];
    const client = clientOf(tenant).chat.completions;
    const complete = async () => {
      const body = { model, messages, tools: [WEATHER] };
      return isStream ? client.stream(body).finalChatCompletion() : client.create(body);
    };
    const [asked] = (await complete()).choices;
    expect(asked!.finish_reason).toBe('tool_calls');
    const [call] = asked!.message.tool_calls!;
    expect(call).toMatchObject({ type: 'function', function: { name: 'weather' } });
    const { function: called } = call as OpenAI.ChatCompletionMessageFunctionToolCall;
    expect((JSON.parse(called.arguments) as { city: string }).city).toContain('Oslo');

    messages.push(asked!.message, { role: 'tool', tool_call_id: call!.id, content: '3 degrees' });
    const [answered] = (await complete()).choices;
    expect(answered!.message.content).toContain('3 degrees');
  });

  it('has each of its calls in the ledger once, with a trace of its app', async () => {
    const rows = await ledgerOf(tenant);
    expect(rows).toHaveLength(6);
    for (const { traceId } of rows) {
      expect((await tenant.api.get(`/api/public/apps/${tenant.appId}/traces/${traceId}`)).outcome).toBe('200');
    }
    expect(new Set(rows.map(({ callId }) => callId)).size).toBe(6);
    expect(rows.filter(({ streamingUsed }) => streamingUsed)).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'success', statusCode: 200, channel: 'api' });
      expect(row.inputTokens).toBeGreaterThan(0);
      expect(row.timeToFirstTokenMs === null).toBe(!row.streamingUsed);
    }
  });

  it('has each of its calls as an observation of a trace', async () => {
    const rows = await ledgerOf(tenant);
    const observations = await service.database.rows<{ id: string; trace_id: string; input: string }>(
      `select id, trace_id, input from observation where project_id = $1 and kind = 'GENERATION'`,
      [tenant.projectId],
    );
    const named = (id: string, traceId: string) => `${traceId} ${id}`;
    expect(observations.map(({ id, trace_id: traceId }) => named(id, traceId)).sort()).toEqual(
      rows.map(({ callId, traceId }) => named(callId, traceId)).sort(),
    );
    for (const { input } of observations) expect(input).toContain('Oslo');
  });
});

it('the client lists the models that can be called', async () => {
  const tenant = await makeTenant(service);
  const { connectionId } = await makeConnection(tenant);
  const off = await makeConnection(tenant, { ...BODIES.API, isEnable: false });
  const { data } = await clientOf(tenant).models.list();
  expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual(
    expect.arrayContaining([
      ['mock', 'mock'],
      [connectionId, 'openai'],
    ]),
  );
  expect(data.map(({ id }) => id)).not.toContain(off.connectionId);
});

it('the client reads a model by its id or its name, but not one of another project', async () => {
  const tenant = await makeTenant(service);
  const { connectionId, connectionName } = await makeConnection(tenant, {
    ...BODIES.Vendor1,
    connectionName: 'our/own',
  });
  const { models } = clientOf(tenant);
  expect(await models.retrieve('mock')).toMatchObject({ id: 'mock', object: 'model', owned_by: 'mock' });
  const ours = { id: connectionId, object: 'model', owned_by: 'openai', created: expect.any(Number) as number };
  expect(await models.retrieve(connectionId)).toEqual(ours);
  expect(await models.retrieve(connectionName)).toEqual(ours);
  const other = clientOf(await makeTenant(service));
  for (const asked of [models.retrieve('nothing'), other.models.retrieve(connectionId)])
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'MODEL_NOT_FOUND', type: 'not_found_error' });
  const off = await makeConnection(tenant, { ...BODIES.API, isEnable: false });
  await expect(models.retrieve(off.connectionId)).rejects.toMatchObject({ status: 409, code: 'CONNECTION_INACTIVE' });
});

it('the client receives errors that it understands', async () => {
  const tenant = await makeTenant(service);
  const failed = async (client: OpenAI, body: object) => {
    const request = { model: 'mock', messages: MESSAGES, ...body } as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return client.chat.completions.create(request).then(
      () => 'answered',
      (error: InstanceType<typeof OpenAI.APIError>) => error,
    );
  };
  expect(await failed(clientOf({ key: 'sw_nothing' }), {})).toMatchObject({
    status: 401,
    code: 'API_KEY_INVALID',
    type: 'authentication_error',
    param: null,
  });
  expect(await failed(clientOf(tenant), { temperature: 9 })).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    type: 'invalid_request_error',
    param: 'temperature',
  });
  expect(await failed(clientOf(tenant), { model: 'no such model' })).toMatchObject({
    status: 404,
    code: 'MODEL_NOT_FOUND',
    type: 'not_found_error',
  });
});

it.each(['refusing', 'no-key', 'unknown'])(
  'the client does not repeat a request that the provider refused: %s',
  async (how) => {
    const tenant = await makeTenant(service);
    const model = await connectTo(tenant, double, how);
    const before = double.calls.length;
    const client = clientOf(tenant).withOptions({ maxRetries: 2 });
    const asked = client.chat.completions.create({ model, messages: MESSAGES });
    await expect(asked).rejects.toMatchObject({ status: 502, code: 'MODEL_CALL_FAILED' });
    expect(double.calls.length - before).toBe(1);
  },
);

it('the client receives the error of a stream that fails', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double, 'half-stream');
  const stream = clientOf(tenant).chat.completions.stream({ model, messages: MESSAGES });
  await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED', type: 'api_error' });
});
