import { ask, COMPLETIONS, ledgerOf } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { tarGzOf } from '../support/models/archives.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { SAID, tinyModel } from '../support/models/tiny-model.js';
import { processListeningAt } from '../support/models/listening.js';
import { startService } from '../support/service.js';
import {
  deploy,
  deployed,
  ended,
  HYPER,
  importModel,
  liveModel,
  PATIENCE_MS,
  read,
  textOf,
  undeploy,
  uploadModel,
} from './models.js';

const service = await startService({ MODEL_HOST_REPLICAS: '30' });
const tenant = await makeTenant(service);
const { api } = tenant;
afterAll(() => service.stop());

const replicas = (modelId: string) =>
  service.database.rows<{ id: string; address: string }>(
    'select r.id, r.address from model_replica r join model_deployment d on d.id = r.deployment_id where d.model_id = $1',
    [modelId],
  );

it('a GGUF file goes from upload to chat, and the call is in the ledger', async () => {
  const { started, completed } = await uploadModel(api, { chunks: 3 });
  const { modelId } = started;
  expect(completed).toEqual({
    dockStatusId: expect.stringMatching(/^ds-/) as string,
    modelId,
    jobType: 'MODELS',
    action: 'IMPORT',
    status: 'IN_PROGRESS',
  });
  await ended(api, completed);
  const answer = await deploy(api, modelId, { name: 'from-upload-to-chat' });
  expect([answer.status, answer.body]).toEqual([
    200,
    { ...completed, dockStatusId: answer.body.dockStatusId, action: 'DEPLOY' },
  ]);
  expect(await ended(api, answer.body)).toMatchObject({ status: 'SUCCESS', percentageComplete: 100 });
  expect(await read(api, modelId)).toMatchObject({
    state: 'DEPLOYED',
    deployment: { version: 1, state: 'LIVE', host: 'local' },
  });

  const completion = await ask(tenant, modelId);
  expect([completion.outcome, textOf(completion)]).toEqual(['200', SAID]);
  expect(completion.body.choices[0]!.finish_reason).toBe('stop');
  const { prompt_tokens: input, completion_tokens: output } = completion.body.usage;
  expect(input).toBeGreaterThan(1);
  expect(output).toBe(10);
  expect(textOf(await ask(tenant, 'from-upload-to-chat'))).toBe(SAID);

  const [row] = await ledgerOf(tenant);
  expect(row).toMatchObject({
    model: 'from-upload-to-chat',
    provider: 'custom',
    status: 'success',
    inputTokens: input,
    completionTokens: output,
    channel: 'api',
  });

  const undeployed = await undeploy(api, modelId);
  expect(undeployed.body).toEqual({
    ...completed,
    dockStatusId: undeployed.body.dockStatusId,
    action: 'UNDEPLOY',
    status: 'SUCCESS',
  });
  expect((await ask(tenant, modelId)).outcome).toBe('409 MODEL_NOT_DEPLOYED');
  expect((await ask(tenant, 'from-upload-to-chat')).outcome).toBe('404 MODEL_NOT_FOUND');
  await eventually(
    () => replicas(modelId),
    (rows) => rows.length === 0,
  );
});

describe('a deployed model', () => {
  let model: string;
  beforeAll(async () => (model = await liveModel(api, { name: 'asked' })));

  it('is listed among those that can be called', async () => {
    const { body } = await api.get<{ data: { id: string; owned_by: string }[] }>('/api/public/llm/v1/models');
    expect(body.data.find(({ id }) => id === model)).toMatchObject({ owned_by: 'custom' });
  });

  it('streams its answer', async () => {
    const { text, status } = await api.post(COMPLETIONS, {
      model,
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const parts = text.split('\n\n').filter((part) => part.startsWith('data: {'));
    const deltas = parts.map(
      (part) => (JSON.parse(part.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0],
    );
    expect([status, deltas.map((choice) => choice?.delta.content ?? '').join('')]).toEqual([200, SAID]);
    expect(deltas.length).toBeGreaterThan(5);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('answers with at most max_tokens tokens', async () => {
    const answer = await ask(tenant, model, { max_tokens: 3 });
    expect([textOf(answer), answer.body.choices[0]!.finish_reason]).toEqual(['hello the cat', 'length']);
  });

  it('stops at a stop sequence of the call', async () => {
    const answer = await ask(tenant, model, { stop: [' is'] });
    expect([textOf(answer), answer.body.choices[0]!.finish_reason]).toEqual(['hello the cat', 'stop']);
  });

  it.each([
    ['ok', 'hello the cat is '],
    ['at is', 'hello the c'],
    ['the cat', 'hello '],
  ])('ends before the stop sequence "%s", with ordinary spaces', async (stop, wanted) => {
    expect(textOf(await ask(tenant, model, { stop: [stop] }))).toBe(wanted);
    const { text } = await api.post(COMPLETIONS, {
      ...{ model, stop: [stop], stream: true },
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(text).not.toContain('▁');
  });

  it('answers in JSON if a call asks for it', async () => {
    const schema = {
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
      additionalProperties: false,
    };
    const answer = await ask(tenant, model, {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(JSON.parse(textOf(answer)!)).toEqual({ ok: expect.any(Boolean) as boolean });
  });

  it('reads the whole conversation of a call', async () => {
    const messages = [
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'And now?' },
    ];
    const long = await ask(tenant, model, { messages });
    const short = await ask(tenant, model);
    expect([textOf(long), textOf(short)]).toEqual([SAID, SAID]);
    expect(long.body.usage.prompt_tokens).toBeGreaterThan(short.body.usage.prompt_tokens);
  });

  it('answers many calls at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => ask(tenant, model)));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 24 }, () => SAID));
  });

  it('refuses a prompt that is too long, a picture, and a forced tool call', async () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    expect((await ask(tenant, model, { tools, tool_choice: 'required' })).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
    const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=' };
    const pictures = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
    expect((await ask(tenant, model, { messages: pictures })).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
    const messages = [{ role: 'user', content: 'word '.repeat(5_000) }];
    const tooLong = await ask(tenant, model, { messages });
    expect(tooLong.outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
    expect(JSON.stringify(tooLong.body)).toMatch(/room for \d+ tokens, and the prompt has \d+/);
    expect(textOf(await ask(tenant, model))).toBe(SAID);
  });

  it('refuses callers without the token of its replica', async () => {
    const [replica] = await replicas(model);
    const send = (headers: Record<string, string>) =>
      fetch(`${replica!.address}/generate`, { method: 'POST', body: '{}', headers });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect(new URL(replica!.address).hostname).toBe('127.0.0.1');
  });

  it('gets another replica when its replica dies', async () => {
    const before = await replicas(model);
    process.kill(await processListeningAt(before[0]!.address), 'SIGKILL');
    const [after] = await eventually(
      () => replicas(model),
      (rows) => rows.length === 1 && rows[0]!.id !== before[0]!.id,
      PATIENCE_MS,
    );
    expect(after!.id).not.toBe(before[0]!.id);
    expect(textOf(await ask(tenant, model))).toBe(SAID);
  });
});

it('a deployed model calls tools, and continues with their results', async () => {
  const script = ['||call:', 'weather'];
  const model = await importModel(api, { content: tinyModel({ script }) });
  await deployed(api, model, { name: 'caller' });
  const parameters = { type: 'object', properties: { now: { type: 'boolean' } }, required: ['now'] };
  const tools = [{ type: 'function', function: { name: 'weather', description: 'Tells the weather', parameters } }];
  const called = await ask(tenant, model, { tools });
  const choice = called.body.choices[0]!;
  expect(choice).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ function: { name: 'weather' } }] },
  });
  const [call] = choice.message.tool_calls!;
  expect(JSON.parse(call!.function.arguments)).toEqual({ now: expect.any(Boolean) as boolean });

  const { id } = call as unknown as { id: string };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: 'Sunny' },
  ];
  const answer = await ask(tenant, model, { tools, messages, tool_choice: 'none' });
  expect([answer.outcome, answer.body.usage.prompt_tokens > called.body.usage.prompt_tokens]).toEqual(['200', false]);
  const again = await ask(tenant, model, { tools, messages });
  expect([again.outcome, again.body.usage.prompt_tokens > called.body.usage.prompt_tokens]).toEqual(['200', true]);
});

it('the parameters of a deployment are defaults and upper limits', async () => {
  const hyperParameters = { ...HYPER, maxTokens: 4, stopSequence: [' cat'] };
  const model = await liveModel(api, { name: 'bounded', hyperParameters });
  expect(textOf(await ask(tenant, model, { max_tokens: 9 }))).toBe('hello the');
  const open = await liveModel(api, { name: 'unbounded', hyperParameters: { ...HYPER, maxTokens: 4 } });
  expect(textOf(await ask(tenant, open, { max_tokens: 9 }))).toBe('hello the cat is');
  const zero = await liveModel(api, { name: 'zero', hyperParameters: { ...HYPER, maxTokens: 0 } });
  expect(textOf(await ask(tenant, zero))).toBe(SAID);
});

it('an adapter changes the answers of its base model, and the base model itself answers as before', async () => {
  const base = await deployed(api, await importModel(api, { content: tinyModel({ name: 'Base for adapters' }) }));
  const content = tinyAdapter({ baseModel: 'someone/base-for-adapters' });
  const adapter = await importModel(api, { content, isAdapter: true });
  await deployed(api, adapter, { name: 'adapted' }, 'fineTune');
  expect((await read(api, adapter)).deployment).toMatchObject({ baseModelId: base });
  expect(textOf(await ask(tenant, adapter))).toBe('hello ok and a dog run');
  expect(textOf(await ask(tenant, base))).toBe(SAID);
});

it('a GGUF file in an archive is served', async () => {
  const content = await tarGzOf({ 'model/tiny.gguf': tinyModel() });
  const model = await importModel(api, { content, fileExtension: 'gz' });
  await deployed(api, model, { name: 'unpacked' });
  expect(textOf(await ask(tenant, model))).toBe(SAID);
});

it('replicas are added while calls wait, and end when they do not', async () => {
  const scalingParameters = { maxBatchSize: 1, minReplicas: 1, maxReplicas: 3, scaleUpDelay: 1, scaleDownDelay: 50 };
  const script = Array.from({ length: 300 }, (_, at) => `word${at}`);
  const model = await importModel(api, { content: tinyModel({ script }) });
  const hyperParameters = { ...HYPER, maxTokens: 0 };
  await deployed(api, model, { name: 'scaled', scalingParameters, hyperParameters });
  expect(await replicas(model)).toHaveLength(1);
  let isEnough = false;
  const load = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (!isEnough) await ask(tenant, model);
    }),
  );
  await eventually(
    () => replicas(model),
    (rows) => rows.length > 1,
    PATIENCE_MS,
  ).finally(() => (isEnough = true));
  await load;
  await eventually(
    () => replicas(model),
    (rows) => rows.length === 1,
    PATIENCE_MS,
  );
});

it('the dock job ends when minReplicas replicas answer', async () => {
  const model = await liveModel(api, { name: 'several', scalingParameters: { minReplicas: 3 } });
  expect(await replicas(model)).toHaveLength(3);
});

it('a call under way is answered though its model is undeployed', async () => {
  const script = Array.from({ length: 400 }, (_, at) => `word${at}`);
  const model = await importModel(api, { content: tinyModel({ script }) });
  await deployed(api, model, { name: 'drained', hyperParameters: { ...HYPER, maxTokens: 0 } });
  const response = await fetch(service.url + COMPLETIONS, {
    method: 'POST',
    headers: { 'x-api-key': tenant.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  await undeploy(api, model);
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  expect(text).toContain('word399');
  expect(text).toContain('[DONE]');
});
