import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { closedUrls } from '../platform/outbound-corpus.mjs';
import { BODIES, change, type ConnectionBody, create, KEY, makeConnection, MASK } from './make.js';

const service = await startService({ OUTBOUND_ALLOW_CIDRS: '' });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const FIELDS = BODIES.API.fields;

/** All members that may describe an endpoint. */
const EXTRA = {
  promptVars: [
    {
      name: 'prompt',
      displayName: 'Prompt',
      status: true,
      dataType: 'string',
      elementType: '',
      defaultValue: 'Hello',
      required: true,
      examples: false,
    },
  ],
  customVars: [{ name: 'tone', value: 'calm', whatever: [1] }],
  endpointUrl: 'https://models.example.com/v1/answer',
  headers: [{ key: 'x-team', value: 'support-team-number-1' }],
  payload: { prompt: '{{ prompt }}', options: { tone: '{{tone}}', n: 1 } },
  outputPath: 'choices[0].message.content',
  inputTokensPath: '$.usage.prompt_tokens',
  outputTokensPath: 'usage["completion_tokens"]',
  status: 'FINALIZED',
  isEnable: true,
  idp: 'none',
  bodyTab: 'providerReferences',
  mapProvider: 'vendor1Model',
  llmFeatures: { toolCalling: true, supportTools: true, parallelToolCalling: false, streaming: true },
  IOMappings: ['textToText', 'imageToText'],
};

const shown = { ...EXTRA, headers: [{ key: 'x-team', value: 'su********er-1' }] };

it('members that describe the endpoint are accepted in fields or next to it, and returned in fields', async () => {
  const inside = await makeConnection(tenant, { provider: 'API', fields: { ...FIELDS, ...EXTRA } });
  const beside = await makeConnection(tenant, { provider: 'API', fields: FIELDS, ...EXTRA });
  const without = await makeConnection(tenant, { provider: 'API', ...FIELDS, ...EXTRA });
  for (const { fields, status, model } of [inside, beside, without]) {
    expect(fields).toEqual({ ...FIELDS, API_KEY: MASK, ...shown });
    expect({ status, model }).toEqual({ status: 'ACTIVE', model: 'llama' });
  }
});

it('a member in both places is accepted with equal values, and refused with different ones', async () => {
  const twice = { ...BODIES.API, fields: { ...FIELDS, outputPath: 'a.b' } };
  expect((await create(tenant, { ...twice, outputPath: 'a.b' })).outcome).toBe('201');
  expect(await create(tenant, { ...twice, outputPath: 'a.c' })).toMatchObject(faultsAt('outputPath'));
});

it('the model is the same, whether it is given as model, as MODEL_NAME or as both', async () => {
  const made = await makeConnection(tenant, { ...BODIES.API, model: FIELDS.MODEL_NAME });
  expect(made).toMatchObject({ model: 'llama', fields: { MODEL_NAME: 'llama' } });
  expect(await create(tenant, { ...BODIES.API, model: 'another' })).toMatchObject(faultsAt('model'));
});

it('a member that replaces a required one is accepted', async () => {
  const said = {
    provider: 'API',
    model: 'llama',
    endpointUrl: 'https://models.example.com/answer',
    headers: [{ key: 'authorization', value: 'Bearer 0123456789abcdef' }],
  };
  expect((await create(tenant, { ...said, fields: {} })).outcome).toBe('201');
  expect(await create(tenant, { ...said, endpointUrl: undefined })).toMatchObject(faultsAt('fields.BASE_URL'));
  expect(await create(tenant, { ...said, headers: [] })).toMatchObject(faultsAt('fields.API_KEY'));
  expect(await create(tenant, { ...said, model: undefined })).toMatchObject(faultsAt('fields.MODEL_NAME'));
});

it('a connection that is not enabled is INACTIVE from the start, whatever status is sent', async () => {
  const off = await makeConnection(tenant, { ...BODIES.API, isEnable: false, status: 'FINALIZED' });
  const on = await makeConnection(tenant, { ...BODIES.API, isEnable: true, status: 'INACTIVE' });
  expect([off.status, on.status]).toEqual(['INACTIVE', 'ACTIVE']);
});

it('a connection with mapProvider needs IOMapping or IOMappings', async () => {
  const mapped = { ...BODIES.API, mapProvider: 'vendor2Model' };
  expect(await create(tenant, mapped)).toMatchObject(faultsAt('fields.IOMapping'));
  expect((await create(tenant, { ...mapped, IOMapping: 'textToText' })).outcome).toBe('201');
  expect((await create(tenant, { ...mapped, IOMappings: ['textToText'] })).outcome).toBe('201');
});

it.each([
  ['mapProvider', { mapProvider: 'vendor4Model' }, 'mapProvider'],
  ['IOMapping', { IOMapping: 'textToSong' }, 'IOMapping'],
  ['IOMappings', { IOMappings: ['textToSong'] }, 'IOMappings.0'],
  ['llmFeatures', { llmFeatures: { streaming: 'yes' } }, 'llmFeatures.streaming'],
  ['a feature', { llmFeatures: { flying: true } }, 'llmFeatures.flying'],
  ['isEnable', { isEnable: 'true' }, 'isEnable'],
  ['outputPath', { outputPath: 'choices[' }, 'outputPath'],
  ['payload', { payload: [] }, 'payload'],
  ['a template', { payload: { a: [{ b: '{{ prompt' }] } }, 'payload.a.0.b'],
  ['tags of a text', { payload: { a: '{{a}}'.repeat(501) } }, 'payload.a'],
  ['tags of a payload', { payload: { a: Array.from({ length: 21 }, () => '{{a}}'.repeat(500)) } }, 'payload'],
  ['a variable', { promptVars: [{ name: 'a b' }] }, 'promptVars.0.name'],
  ['a member of a variable', { promptVars: [{ name: 'a', colour: 1 }] }, 'promptVars.0.colour'],
  ['customVars', { customVars: ['a'] }, 'customVars.0'],
  ...['host', 'Content-Length', 'TRANSFER-ENCODING', 'connection', 'proxy-authorization', 'upgrade'].map(
    (key): [string, object, string] => [`the header ${key}`, { headers: [{ key, value: 'x' }] }, 'headers.0.key'],
  ),
  ...['', 'a b', 'a:', 'ä', 'a\r\nb'].map((key): [string, object, string] => [
    `the header name ${JSON.stringify(key)}`,
    { headers: [{ key, value: 'x' }] },
    'headers.0.key',
  ]),
  ...['a\r\nx: y', 'a\nb', '\u{1F511}'].map((value): [string, object, string] => [
    `the header value ${JSON.stringify(value)}`,
    { headers: [{ key: 'x-team', value }] },
    'headers.0.value',
  ]),
] as [string, object, string][])('refuses %s that is wrong, inside fields and beside it', async (_, wrong, fault) => {
  expect(await create(tenant, { ...BODIES.API, ...wrong })).toMatchObject(faultsAt(fault));
  const inside = { provider: 'API', fields: { ...FIELDS, ...wrong } };
  expect(await create(tenant, inside)).toMatchObject(faultsAt(`fields.${fault}`));
});

it.each(['two\r\nx-own: lines', 'ending\n', 'a\u0001b', 'key \u{1F511}'])(
  'a header that the connection’s own variables make invalid is refused: %j',
  async (value) => {
    const headers = ['{{ fine }}', 'a{{ bad }}', '{{ prompt }}', '{% if fine %}{{ bad }}{% endif %}'];
    const described = {
      headers: headers.map((template, at) => ({ key: `x-${at}`, value: template })),
      customVars: [
        { name: 'fine', value: 'calm' },
        { name: 'bad', defaultValue: value },
      ],
    };
    const faults = faultsAt('fields.headers.1.value', 'fields.headers.3.value');
    const beside = await create(tenant, { ...BODIES.API, ...described });
    expect(beside).toMatchObject(faults);
    expect(beside.text).toContain('gets characters from the variables that headers cannot have');
    expect(await create(tenant, { provider: 'API', fields: { ...FIELDS, ...described } })).toMatchObject(faults);
  },
);

it('a header whose template takes too long is refused', async () => {
  const value = `${'{% for a in (1..9000) %}'.repeat(2)}${'{% endfor %}'.repeat(2)}`;
  const answer = await create(tenant, { ...BODIES.API, headers: [{ key: 'x-team', value }] });
  expect(answer).toMatchObject(faultsAt('fields.headers.0.value'));
});

const CLOSED = closedUrls(8080).filter((url) => url !== '');

it.each(['BASE_URL', 'LLM_API_URL', 'endpointUrl'])(
  'a %s that leads into a private network is refused',
  async (member) => {
    const answers = await Promise.all(
      CLOSED.map(async (url) => {
        const { outcome } = await create(tenant, { provider: 'API', fields: { ...FIELDS, [member]: url } });
        return { url, outcome };
      }),
    );
    expect(answers).toEqual(CLOSED.map((url) => ({ url, outcome: '400 ADDRESS_NOT_ALLOWED' })));
  },
);

it('a key cannot change a connection of the provider API', async () => {
  const { connectionId } = await makeConnection(tenant, BODIES.API);
  expect((await change(tenant, connectionId, { API_KEY: KEY })).outcome).toBe('400 CONNECTION_NOT_UPDATABLE');
});

describe('administrators change a connection of the provider API', () => {
  const changed = (connectionId: string, fields: object) =>
    administratorOf(service).patch<{ data: ConnectionBody }>(
      `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}`,
      { fields },
    );

  it('field by field, and keep the secrets whose masks they send', async () => {
    const headers = [{ key: 'x-team', value: 'support-of-the-shop-1' }];
    const { connectionId, fields } = await makeConnection(tenant, {
      ...BODIES.API,
      fields: { ...BODIES.API.fields, headers },
    });
    const { body, outcome } = await changed(connectionId, { ...fields, outputPath: 'text', inputTokensPath: 'read' });
    expect(outcome).toBe('200');
    expect(body.data.fields).toEqual({ ...fields, outputPath: 'text', inputTokensPath: 'read' });
    const removed = await changed(connectionId, { inputTokensPath: null });
    expect(removed.body.data.fields).toEqual({ ...fields, outputPath: 'text' });
  });

  it('and send its secrets again with another address', async () => {
    const { connectionId, fields } = await makeConnection(tenant, BODIES.API);
    const elsewhere = { BASE_URL: 'https://other.example.com/v1' };
    expect(await changed(connectionId, elsewhere)).toMatchObject(faultsAt('fields.API_KEY'));
    expect(await changed(connectionId, { endpointUrl: 'https://other.example.com/v1', API_KEY: MASK })).toMatchObject(
      faultsAt('fields.API_KEY'),
    );
    const { body } = await changed(connectionId, { ...elsewhere, API_KEY: KEY });
    expect(body.data.fields).toEqual({ ...fields, ...elsewhere });
  });

  it('by the rules of its creation', async () => {
    const { connectionId } = await makeConnection(tenant, BODIES.API);
    expect(await changed(connectionId, { outputPath: '[[' })).toMatchObject(faultsAt('fields.outputPath'));
    expect(await changed(connectionId, { MODEL_NAME: 'other' })).toMatchObject(faultsAt('fields.MODEL_NAME'));
    expect(await changed(connectionId, { API_KEY: null })).toMatchObject(faultsAt('fields.API_KEY'));
    expect(await changed(connectionId, { BASE_URL: null, API_KEY: KEY })).toMatchObject(faultsAt('fields.BASE_URL'));
    const headers = [{ key: 'x-bad', value: '{% if %}' }];
    expect(await changed(connectionId, { headers })).toMatchObject(faultsAt('fields.headers.0.value'));
    const local = await changed(connectionId, { BASE_URL: 'http://10.0.0.1/', API_KEY: KEY });
    expect(local.outcome).toBe('400 ADDRESS_NOT_ALLOWED');
  });
});
