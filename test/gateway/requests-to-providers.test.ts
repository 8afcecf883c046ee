import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { BODIES, KEY, makeConnection } from '../connections/make.js';
import { ask, connectTo, ledgerOf, PROVIDER_KEY } from './calls.js';

const double = await ModelDouble.start();
const service = await startService({
  VENDOR1_BASE_URL: double.url,
  CLOUDVENDOR1_BASE_URL: `${double.url}/at/{your_resource_name}/openai`,
  VENDOR2_BASE_URL: `${double.url}/v1`,
});
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const PDF = Buffer.from('%PDF-1.7\n').toString('base64');
const PICTURE = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    },
  ],
};

describe('each provider is called in its own protocol', () => {
  it('Vendor1 as OpenAI', async () => {
    const { connectionId } = await makeConnection(tenant, BODIES.Vendor1);
    await ask(tenant, connectionId, { temperature: 0.5, max_tokens: 50, stop: 'END', seed: 7 });
    expect(double.last.path).toBe('/v1/chat/completions');
    expect(double.last.headers.authorization).toBe(`Bearer ${KEY}`);
    const messages = [{ role: 'user', content: 'Hello' }];
    const sent = { model: 'gpt-4o', messages, temperature: 0.5, max_tokens: 50, stop: ['END'], seed: 7 };
    expect(double.last.body).toMatchObject(sent);
  });

  it.each([
    ['Vendor1', { name: 'ada' }],
    ['CloudVendor1', {}],
  ] as const)('%s with the options that only OpenAI’s protocol has', async (provider, named) => {
    const { connectionId } = await makeConnection(tenant, BODIES[provider]);
    const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' };
    const messages = [{ role: 'user', ...named, content: [{ type: 'image_url', image_url }] }];
    const more = { reasoning_effort: 'low', logit_bias: { 50256: -100 }, user: 'ada' };
    expect((await ask(tenant, connectionId, { messages, ...more })).outcome).toBe('200');
    expect(double.last.body).toMatchObject({ messages, ...more });
  });

  it.each([
    ['Vendor1', { parallel_tool_calls: false, user: 'ada' }],
    ['CloudVendor1', { parallel_tool_calls: false, user: 'ada' }],
    ['Vendor2', { tool_choice: { disable_parallel_tool_use: true } }],
  ] as const)('%s to call one tool at a time', async (provider, sent) => {
    const { connectionId } = await makeConnection(tenant, BODIES[provider]);
    const more = { tools: [WEATHER], parallel_tool_calls: false, user: 'ada' };
    expect((await ask(tenant, connectionId, more)).outcome).toBe('200');
    expect(double.last.body).toMatchObject(sent);
  });

  it.each([[false], [true], [undefined]])('Vendor1 with a schema that is strict: %s', async (strict) => {
    const { connectionId } = await makeConnection(tenant, BODIES.Vendor1);
    const json_schema = { name: 'place', schema: { type: 'object', properties: {} }, strict };
    await ask(tenant, connectionId, { response_format: { type: 'json_schema', json_schema } });
    expect(double.last.body).toMatchObject({ response_format: { json_schema: { strict: strict === true } } });
  });

  it.each([
    ['{"city":"Oslo"}', { city: 'Oslo' }],
    ['', {}],
    ['{"a":', { arguments: '{"a":' }],
    ['[1]', { arguments: '[1]' }],
  ])('Vendor1 and Vendor2 with arguments that a model wrote: %j', async (written, sent) => {
    const called = { id: '1', type: 'function', function: { name: 'weather', arguments: written } };
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: '1', content: 'That was no JSON' },
    ];
    const openAi = await makeConnection(tenant, BODIES.Vendor1);
    expect((await ask(tenant, openAi.connectionId, { messages })).outcome).toBe('200');
    expect(double.last.body.messages).toMatchObject([
      {},
      { tool_calls: [{ function: { arguments: JSON.stringify(sent) } }] },
      {},
    ]);
    const anthropic = await makeConnection(tenant, BODIES.Vendor2);
    expect((await ask(tenant, anthropic.connectionId, { messages })).outcome).toBe('200');
    expect(double.last.body.messages).toMatchObject([{}, { content: [{ type: 'tool_use', input: sent }] }, {}]);
  });

  it.each([
    ['Vendor1', { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } }],
    ['CloudVendor1', { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } }],
    ['Vendor2', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }],
  ] as const)('%s with a document', async (provider, part) => {
    const { connectionId } = await makeConnection(tenant, BODIES[provider]);
    const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };
    const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
    expect((await ask(tenant, connectionId, { messages })).outcome).toBe('200');
    expect(double.last.body.messages).toMatchObject([{ content: [part] }]);
  });

  it.each(['data:text/plain;base64,QQ==', 'https://example.com/a.pdf', 'QQ=='])(
    'none with a file that is not a document: %s',
    async (file_data) => {
      const { connectionId } = await makeConnection(tenant, BODIES.Vendor1);
      const messages = [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }];
      expect(await ask(tenant, connectionId, { messages })).toMatchObject(
        faultsAt('messages.0.content.0.file.file_data'),
      );
    },
  );

  it('CloudVendor1 as a deployment of Azure', async () => {
    const { connectionId } = await makeConnection(tenant, BODIES.CloudVendor1);
    await ask(tenant, connectionId);
    const path = '/at/our-models/openai/deployments/main_4.0/chat/completions?api-version=2026-01-01';
    expect(double.last.path).toBe(path);
    expect(double.last.headers['api-key']).toBe(KEY);
  });

  it('Vendor2 as Anthropic', async () => {
    const { connectionId } = await makeConnection(tenant, BODIES.Vendor2);
    await ask(tenant, connectionId, {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect(double.last.path).toBe('/v1/messages');
    expect(double.last.headers['x-api-key']).toBe(KEY);
    expect(JSON.stringify(double.last.body.system)).toContain('Be brief');
  });

  it('API as OpenAI by default, with the model that it names', async () => {
    await ask(
      tenant,
      await connectTo(tenant, double, '', { headers: [{ key: 'x-team', value: '{{ MODEL_NAME }}-1' }] }),
    );
    expect(double.last).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama' } });
    expect(double.last.headers).toMatchObject({ 'x-team': 'llama-1', authorization: `Bearer ${PROVIDER_KEY}` });
  });

  it('API at its exact address, with its own header for the key', async () => {
    const fields = {
      endpointUrl: `${double.url}/somewhere/else/chat/completions`,
      headers: [{ key: 'x-own-key', value: 'own-key-0123456789' }],
      MODEL_NAME: 'llama',
    };
    const { connectionId } = await makeConnection(tenant, { provider: 'API', fields });
    await ask(tenant, connectionId);
    expect(double.last.path).toBe('/somewhere/else/chat/completions');
    expect(double.last.headers).toMatchObject({ 'x-own-key': 'own-key-0123456789' });
    expect(double.last.headers.authorization).toBeUndefined();
  });
});

describe('tokens and cost in the ledger', () => {
  it.each([
    ['Vendor1', 'openai'],
    ['CloudVendor1', 'azure'],
    ['Vendor2', 'anthropic'],
  ] as const)('are those of %s', async (provider, name) => {
    const own = await makeTenant(service);
    const { connectionId } = await makeConnection(own, BODIES[provider]);
    await ask(own, connectionId);
    const [row] = await ledgerOf(own);
    expect(row).toMatchObject({ provider: name, model: BODIES[provider].model, inputTokens: 20, cachedTokens: 8 });
    expect(row!.completionTokens + row!.reasoningTokens).toBe(9);
    if (provider === 'Vendor1') expect(row).toMatchObject({ completionTokens: 5, reasoningTokens: 4 });
    if (provider === 'Vendor1') expect(row!.cost).toBeGreaterThan(0);
  });

  it('come with the texts of the call, and with a placeholder for a picture', async () => {
    const own = await makeTenant(service);
    const { connectionId } = await makeConnection(own, BODIES.Vendor1);
    await ask(own, connectionId, PICTURE);
    const [row] = await ledgerOf(own);
    expect(row!.payload!.request.messages).toEqual([{ role: 'user', content: 'What is this?\n[file: image/png]' }]);
    expect(row!.payload!.response!.text).toContain('What is this?');
  });
});

describe('the description of an endpoint', () => {
  const outcomeOf = async (fields: object, more: object) => {
    return (await ask(tenant, await connectTo(tenant, double, '', fields), more)).outcome;
  };
  const REFUSED = '400 MODEL_REQUEST_NOT_TAKEN';

  it('decides about tools', async () => {
    const tools = { tools: [WEATHER] };
    const MAPPED = { mapProvider: 'vendor1Model', IOMapping: 'textToText' };
    expect(await outcomeOf({ ...MAPPED, llmFeatures: { streaming: true } }, tools)).toBe('200');
    expect(await outcomeOf({ llmFeatures: { streaming: true } }, tools)).toBe('200');
    expect(await outcomeOf({ llmFeatures: { toolCalling: false } }, tools)).toBe(REFUSED);
    expect(await outcomeOf({ llmFeatures: { supportTools: false } }, tools)).toBe(REFUSED);
    expect(await outcomeOf({ llmFeatures: { toolCalling: false, supportTools: true } }, tools)).toBe('200');
    expect(await outcomeOf({ llmFeatures: { toolCalling: true } }, tools)).toBe('200');
    expect(await outcomeOf({ llmFeatures: { supportTools: true } }, tools)).toBe('200');
    expect(await outcomeOf({}, tools)).toBe('200');
  });

  it('decides about structured answers', async () => {
    const structured = { response_format: { type: 'json_object' } };
    expect(await outcomeOf({ llmFeatures: { structuredResponse: false } }, structured)).toBe(REFUSED);
    expect(await outcomeOf({ llmFeatures: { structuredResponse: true } }, structured)).toBe('200');
    expect(await outcomeOf({ llmFeatures: { streaming: true } }, structured)).toBe('200');
  });

  it('decides about several tools at once', async () => {
    const tools = { tools: [WEATHER] };
    await outcomeOf({ llmFeatures: { toolCalling: true, parallelToolCalling: false } }, tools);
    expect(double.last.body.parallel_tool_calls).toBe(false);
    await outcomeOf({ llmFeatures: { toolCalling: true, parallelToolCalling: true } }, tools);
    expect(double.last.body.parallel_tool_calls).toBeUndefined();
  });

  it('decides about text, pictures and sound', async () => {
    expect(await outcomeOf({ IOMappings: ['textToText'] }, {})).toBe('200');
    expect(await outcomeOf({ IOMappings: ['textToImage'] }, {})).toBe(REFUSED);
    expect(await outcomeOf({ IOMappings: ['textToText'] }, PICTURE)).toBe(REFUSED);
    expect(await outcomeOf({ IOMapping: 'imageToText' }, PICTURE)).toBe('200');
  });
});

describe('a model is called by', () => {
  it('a name that an active connection has, and is refused if only inactive ones have it', async () => {
    const own = await makeTenant(service);
    const inactive = { ...BODIES.API, isEnable: false };
    const { connectionName } = await makeConnection(own, inactive);
    for (const named of [connectionName, 'llama'])
      expect((await ask(own, named)).outcome).toBe('409 CONNECTION_INACTIVE');
    await connectTo(own, double);
    await makeConnection(own, inactive);
    expect((await ask(own, 'llama')).outcome).toBe('200');
    await makeConnection(own, { ...inactive, connectionName: 'mock' });
    expect((await ask(own, 'mock')).outcome).toBe('200');
  });

  it('the id of its connection, its name, or its own name', async () => {
    const own = await makeTenant(service);
    const { connectionId, connectionName } = await makeConnection(own, BODIES.Vendor1);
    for (const named of [connectionId, connectionName, 'gpt-4o']) {
      expect((await ask(own, named)).body.model).toBe('gpt-4o');
    }
    expect((await ask(tenant, connectionName)).outcome).toBe('404 MODEL_NOT_FOUND');
    expect((await ask(tenant, connectionId)).outcome).toBe('404 MODEL_NOT_FOUND');
  });
});

it.each([
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.tool_call_id'],
  [{ model: undefined }, 'model'],
  [{ n: 2 }, 'n'],
  [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools.0.function.name'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ logprobs: true }, 'logprobs'],
  [{ reasoning_effort: 'endless' }, 'reasoning_effort'],
] as [object, string][])('a malformed chat is refused: %j', async (wrong, path) => {
  expect(await ask(tenant, 'mock', wrong)).toMatchObject(faultsAt(path));
});

it('members that are null or unknown are left out', async () => {
  const { outcome } = await ask(tenant, 'mock', { temperature: null, tools: null, user: 'ada', unheard_of: { a: 1 } });
  expect(outcome).toBe('200');
});
