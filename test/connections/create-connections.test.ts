import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask } from '../gateway/calls.js';
import { BODIES, CONNECTIONS, create, KEY, makeConnection, MASK, OF_ENDPOINTS, read } from './make.js';

const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

describe.each([
  ['openai', BODIES.Vendor1],
  ['azure', BODIES.CloudVendor1],
  ['anthropic', BODIES.Vendor2],
])('the provider %s', (common, body) => {
  it('is another name of a provider in requests, and answers have its name of the interface', async () => {
    const { connectionId, provider } = await makeConnection(tenant, { ...body, provider: common });
    expect(provider).toBe(body.provider);
    expect((await read(tenant, connectionId)).body.provider).toBe(body.provider);
    const { body: listed } = await tenant.api.get<{ connections: { provider: string }[] }>(
      `${CONNECTIONS}?provider=${common}`,
    );
    expect(new Set(listed.connections.map((each) => each.provider))).toEqual(new Set([body.provider]));
  });

  it('has the same required members and fields', async () => {
    const lacking = { ...body, provider: common, fields: {} };
    const required = Object.keys(body.fields).map((name) => `fields.${name}`);
    expect(await create(tenant, lacking)).toMatchObject(faultsAt(...required));
  });
});

it.each([
  ['openai', 'vendor1Model'],
  ['anthropic', 'vendor2Model'],
])('an endpoint with the protocol of %s can name it so', async (common, mapProvider) => {
  const fields = { ...BODIES.API.fields, mapProvider: common };
  const { fields: shown } = await makeConnection(tenant, { provider: 'API', fields, IOMapping: 'textToText' });
  expect(shown).toMatchObject({ mapProvider });
  const lacking = { ...BODIES.API, mapProvider: common };
  expect(await create(tenant, lacking)).toMatchObject(faultsAt('fields.IOMapping'));
});

it('an unknown provider is refused with all names that are accepted', async () => {
  const { text } = await create(tenant, { ...BODIES.Vendor1, provider: 'OpenAI' });
  expect(text).toContain(
    'must be one of Vendor1, CloudVendor1, Vendor2, Gemini, Ollama, API, openai, azure, anthropic, gemini, ollama',
  );
});

describe.each(Object.values(BODIES))('a connection of the provider $provider', (body) => {
  it('is returned as it was sent, with its secret masked', async () => {
    const answer = await create(tenant, { ...body, connectionName: 'Main model' });
    expect(answer.outcome).toBe('201');
    expect(answer.body).toStrictEqual({
      connectionId: expect.stringMatching(/^cn-\w{22}$/) as string,
      connectionName: 'Main model',
      provider: body.provider,
      model: 'model' in body ? body.model : 'llama',
      status: 'ACTIVE',
      fields: { ...body.fields, API_KEY: MASK },
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) as string,
    });
    const { createdOn: modifiedOn } = answer.body;
    expect((await read(tenant, answer.body.connectionId)).body).toStrictEqual({ ...answer.body, modifiedOn });
  });

  it('needs every required field, and the error names each that is missing', async () => {
    const required = Object.keys(body.fields).map((name) => `fields.${name}`);
    const { body: refused, ...answer } = await create(tenant, { ...body, fields: {} });
    expect(answer).toMatchObject(faultsAt(...required));
    expect(refused).not.toHaveProperty('connectionId');
  });

  it('is refused with an unknown member next to fields', async () => {
    expect(await create(tenant, { ...body, colour: 'red' })).toMatchObject(faultsAt('colour'));
  });

  it('keeps unknown members of fields', async () => {
    const more = { region: 'eu', nested: { list: [1, 'two', null] } };
    const { fields } = await makeConnection(tenant, { ...body, fields: { ...body.fields, ...more } });
    expect(fields).toMatchObject(more);
  });
});

it('one error names all that an endpoint lacks', async () => {
  const lacking = ['connectionName', 'fields.BASE_URL', 'fields.API_KEY', 'fields.MODEL_NAME'];
  const answer = await tenant.api.post(CONNECTIONS, { provider: 'API' });
  expect(answer.faults.sort()).toEqual(lacking.sort());
});

it.each([
  ['an unknown provider', { ...BODIES.Vendor1, provider: 'Vendor9' }, ['provider']],
  ['no provider', { ...BODIES.Vendor1, provider: undefined }, ['provider']],
  ['no name', { ...BODIES.Vendor1, connectionName: undefined }, ['connectionName']],
  ['an empty name', { ...BODIES.Vendor1, connectionName: ' ' }, ['connectionName']],
  ['no fields', { ...BODIES.Vendor1, fields: undefined }, ['fields']],
  ['no model', { ...BODIES.Vendor1, model: undefined }, ['model']],
  ['no modelType where it is required', { ...BODIES.Vendor2, modelType: undefined }, ['modelType']],
  ['another modelType', { ...BODIES.CloudVendor1, modelType: 'HARD' }, ['modelType']],
  ['a key with a line break', { ...BODIES.Vendor1, fields: { API_KEY: 'a\r\nx: y' } }, ['fields.API_KEY']],
  ['the mask of a key', { ...BODIES.Vendor1, fields: { API_KEY: MASK } }, ['fields.API_KEY']],
  ['stars for a key', { ...BODIES.API, fields: { ...BODIES.API.fields, API_KEY: '****' } }, ['fields.API_KEY']],
  [
    'the mask of a header',
    { ...BODIES.API, headers: [{ key: 'x-team', value: 'su********er-1' }] },
    ['fields.headers.0.value'],
  ],
  ...(['Vendor1', 'CloudVendor1', 'Vendor2'] as const).flatMap((provider) =>
    Object.entries(OF_ENDPOINTS).map(([member, value]): [string, object, string[]] => [
      `${member}, which has no effect with ${provider}`,
      { ...BODIES[provider], fields: { ...BODIES[provider].fields, [member]: value } },
      [`fields.${member}`],
    ]),
  ),
  ['an empty key', { ...BODIES.Vendor1, fields: { API_KEY: '' } }, ['fields.API_KEY']],
  ...['a.b', 'a/b', 'a'.repeat(64), '@x', ''].map((your_resource_name): [string, object, string[]] => [
    `the resource ${your_resource_name}`,
    { ...BODIES.CloudVendor1, fields: { ...BODIES.CloudVendor1.fields, your_resource_name } },
    ['fields.your_resource_name'],
  ]),
  ...['../x', '..', 'a b', 'a?b', '', 'a'.repeat(65)].map((deployment_id): [string, object, string[]] => [
    `the deployment ${deployment_id}`,
    { ...BODIES.CloudVendor1, fields: { ...BODIES.CloudVendor1.fields, deployment_id } },
    ['fields.deployment_id'],
  ]),
] as [string, object, string[]][])('a connection is refused with %s', async (_, body, faults) => {
  expect(await create(tenant, body)).toMatchObject(faultsAt(...faults));
});

it('the mask of a secret with fewer than sixteen characters shows none of them', async () => {
  const { fields } = await makeConnection(tenant, { ...BODIES.Vendor1, fields: { API_KEY: 'fifteen-letters' } });
  expect(fields.API_KEY).toMatch(/^\*+$/);
  const longer = await makeConnection(tenant, { ...BODIES.Vendor1, fields: { API_KEY: 'sixteen-letters!' } });
  expect(longer.fields.API_KEY).toMatch(/^si\*+ers!$/);
});

it('numbers and lists under secret names are secrets too, and are sent unchanged', async () => {
  const payload = { password: 123456789, api_keys: ['hidden-in-a-list-1'], auth: 'hidden-in-auth-2', bypass: 7 };
  const customVars = [
    { name: 'pass', value: 'hidden-in-a-variable-3' },
    { name: 'db_pwd', value: 987654321 },
  ];
  const sent = { ...payload, pass: '{{ pass }}', code: '{{ db_pwd }}', max_tokens: 100 };
  const fields = { ...BODIES.API.fields, BASE_URL: double.url, endpointUrl: `${double.url}/any`, payload: sent };
  const { connectionId, fields: shown } = await makeConnection(tenant, {
    provider: 'API',
    fields: { ...fields, customVars, outputPath: 'result.text' },
  });
  const seen = JSON.stringify([shown, (await read(tenant, connectionId)).body, await service.database.dump()]);
  for (const secret of ['hidden-', '123456789', '987654321']) expect(seen).not.toContain(secret);
  expect(shown).toMatchObject({ payload: { password: '********', bypass: 7, max_tokens: 100 } });
  expect((await ask(tenant, connectionId)).outcome).toBe('200');
  expect(double.last.body).toEqual({ ...payload, pass: 'hidden-in-a-variable-3', code: 987654321, max_tokens: 100 });
});

it('no secret is readable in the database or in answers', async () => {
  const body = {
    ...BODIES.API,
    fields: {
      ...BODIES.API.fields,
      LLM_API_KEY: 'canary-in-another-key-1',
      headers: [{ key: 'x-team', value: 'canary-in-any-header-2' }],
      payload: { auth: { access_token: 'canary-in-the-payload-3' }, max_tokens: 100, prompt: '{{prompt}}' },
      customVars: [{ name: 'signingSecret', value: 'canary-in-a-variable-4' }],
    },
  };
  const { connectionId, fields } = await makeConnection(tenant, body);
  const seen = JSON.stringify([fields, (await read(tenant, connectionId)).body, await service.database.dump()]);
  expect(seen).not.toContain('canary-');
  expect(seen).not.toContain(KEY);
  expect(fields).toMatchObject({
    headers: [{ key: 'x-team', value: 'ca********er-2' }],
    payload: { auth: { access_token: 'ca********ad-3' }, max_tokens: 100, prompt: '{{prompt}}' },
    customVars: [{ name: 'signingSecret', value: 'ca********le-4' }],
  });
});

it.each([
  ...['secret_key', 'secretKey', 'secret-keys', 'signing_key', 'auth_key', 'app_key', 'consumerKey', 'encryption_key'],
  ...['client_key', 'CLIENT KEY', 'master_key', 'shared_key', 'license_key', 'licenceKey'],
  ...['secretValue', 'token_value', 'secret_text', 'tokenKey', 'password_value'],
])('a member named %s is a secret, in the payload and as a variable', async (name) => {
  const payload = { prompt: '{{ prompt }}', [name]: 'canary-in-the-payload-5' };
  const customVars = [
    { name, value: 'canary-in-a-variable-6' },
    { key: name, defaultValue: 'canary-as-a-default-7' },
  ];
  const shown = { payload: { [name]: 'ca********ad-5' }, customVars: [{ value: 'ca********le-6' }, {}] };
  const { connectionId, fields } = await makeConnection(tenant, { ...BODIES.API, payload, customVars });
  expect(fields).toMatchObject(shown);
  const seen = JSON.stringify([fields, (await read(tenant, connectionId)).body, await service.database.dump()]);
  expect(seen).not.toContain('canary-');
});

it.each(['max_tokens', 'tokens', 'stop_tokens', 'keyword', 'author', 'primary_text', 'application'])(
  'a member named %s is not a secret',
  async (name) => {
    const { fields } = await makeConnection(tenant, { ...BODIES.API, payload: { [name]: 'something-to-be-seen' } });
    expect(fields).toMatchObject({ payload: { [name]: 'something-to-be-seen' } });
  },
);
