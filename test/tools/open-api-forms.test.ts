import { upload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf, runOf } from './make.js';
import { bodyOf, deployed as deployedTo, importedJob, openApi, startApi } from './open-api.js';

const api = await startApi();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  api.stop();
});

const MULTIPART = 'multipart/form-data';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const BINARY = { type: 'string', format: 'binary' };

const deployed = (document: unknown) => deployedTo(tenant, document, { serverUrl: api.url });

/** Reads the form that the server was sent, with the parser of the platform. */
function formReceived(): Promise<FormData> {
  const { bytes, headers } = api.last();
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': String(headers['content-type']) },
  }).formData();
}

async function partsReceived(): Promise<[string, unknown][]> {
  const parts = [...(await formReceived()).entries()].map(async ([name, value]): Promise<[string, unknown]> => {
    if (typeof value === 'string') return [name, value];
    return [
      name,
      { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()).toString('hex') },
    ];
  });
  return Promise.all(parts);
}

async function inputSchemaOf(toolId: string) {
  const { body } = await tenant.api.post<{ result: { tools: { name: string; inputSchema: unknown }[] } }>('/mcp', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  const { tools } = body.result;
  expect(toolId).toMatch(/^a-/);
  return tools.at(-1)!.inputSchema as { properties: { body: { properties: Record<string, object> } } };
}

describe('a form with several parts', () => {
  const document = openApi(
    {
      components: {
        schemas: {
          Upload: {
            allOf: [
              { type: 'object', required: ['image'], properties: { image: { $ref: '#/components/schemas/Bytes' } } },
              { type: 'object', properties: { more: { type: 'array', items: BINARY } } },
            ],
          },
          Bytes: { ...BINARY, description: 'A picture.' },
          Labels: { type: 'object', properties: { colour: { type: 'string' } } },
        },
      },
    },
    {
      requestBody: {
        required: true,
        content: {
          [MULTIPART]: {
            encoding: { note: { contentType: 'text/markdown' }, table: { contentType: 'text/csv, application/pdf' } },
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Upload' },
                {
                  type: 'object',
                  properties: {
                    id: { type: 'integer', readOnly: true },
                    title: { type: 'string' },
                    count: { type: 'integer' },
                    tags: { type: 'array', items: { type: 'string' } },
                    labels: { $ref: '#/components/schemas/Labels' },
                    note: { type: 'string' },
                    table: { contentMediaType: 'application/pdf' },
                  },
                },
              ],
            },
          },
        },
      },
    },
  );
  let toolId: string;
  beforeAll(async () => {
    toolId = await deployed(document);
  });

  it('has an input that says which members are files', async () => {
    const { properties } = (await inputSchemaOf(toolId)).properties.body;
    expect(Object.keys(properties).sort()).toEqual(
      ['count', 'image', 'labels', 'more', 'note', 'table', 'tags', 'title'].sort(),
    );
    const file = { properties: { fileId: {}, base64: {}, text: {} }, additionalProperties: false };
    expect(properties).toMatchObject({ image: file, more: { type: 'array', items: file }, title: { type: 'string' } });
    expect(properties.image).toMatchObject({ description: expect.stringMatching(/^A picture\..*fileId/s) as string });
  });

  it('arrives with its texts, its lists, its objects as JSON, and its files', async () => {
    const { body: stored } = await upload(tenant.api, { name: 'a "b".png', content: PNG, fileContext: 'tool' });
    const input = {
      body: {
        title: 'Größe & Maß',
        count: 3,
        tags: ['a', 'b'],
        labels: { colour: 'red' },
        note: '# Hello',
        image: { fileId: stored.fileId },
        more: [
          { base64: PNG.toString('base64'), name: 'again.png', contentType: 'image/png' },
          { text: 'a,b\n1,2\n', name: 'table.csv' },
        ],
      },
    };
    const { body } = await execute(tenant, toolId, input);
    expect(body).toMatchObject({ status: 'completed', output: { place: 'Oslo' } });
    const text = (value: string) => Buffer.from(value).toString('hex');
    expect(await partsReceived()).toEqual(
      expect.arrayContaining([
        ['title', 'Größe & Maß'],
        ['count', '3'],
        ['tags', 'a'],
        ['tags', 'b'],
        ['labels', '{"colour":"red"}'],
        ['note', '# Hello'],
        ['image', { name: 'a "b".png', type: 'image/png', bytes: PNG.toString('hex') }],
        ['more', { name: 'again.png', type: 'image/png', bytes: PNG.toString('hex') }],
        ['more', { name: 'table.csv', type: 'text/plain; charset=utf-8', bytes: text('a,b\n1,2\n') }],
      ]),
    );
    expect(api.last().body).toContain('name="labels"\r\nContent-Type: application/json\r\n');
    expect(api.last().body).toContain('name="note"\r\nContent-Type: text/markdown\r\n');
    const { nodes } = await runOf(tenant, toolId, body.runId);
    const { input: recorded } = nodes.find(({ nodeId }) => nodeId === 'call')!;
    expect(recorded).toMatchObject({
      multipart: expect.arrayContaining([
        { name: 'image', file: { name: 'a "b".png', contentType: 'image/png', bytes: PNG.length } },
      ]) as unknown,
    });
    expect(JSON.stringify(recorded)).not.toContain(PNG.toString('base64'));
  });

  it.each([
    ['no content', {}, 'FORM_INVALID', 'The file image is not an object with one of'],
    ['two contents', { base64: 'AAAA', text: 'a' }, 'FORM_INVALID', 'one of `fileId`'],
    ['bad base64', { base64: 'not base64!' }, 'FORM_INVALID', 'is not base64'],
    ['base64 that was cut off', { base64: 'QUJDR' }, 'FORM_INVALID', 'its base64 is damaged'],
    ['base64 with a padding of too many', { base64: 'QUJD=' }, 'FORM_INVALID', 'its base64 is damaged'],
    ['base64 that goes on after its end', { base64: 'QQ==QQ==' }, 'FORM_INVALID', 'its base64 is damaged'],
    ['base64 whose last character is another', { base64: 'QR==' }, 'FORM_INVALID', 'its base64 is damaged'],
    ['an unknown file', { fileId: 'f-unknown' }, 'FORM_INVALID', 'no file with the given `fileId`'],
    ['a type with a line break', { text: 'a', contentType: 'text/plain\r\nx: y' }, 'FORM_INVALID', 'contentType'],
    [
      'a type with parameters in another line',
      { text: 'a', contentType: 'a/b\r\n\r\n; c' },
      'FORM_INVALID',
      'contentType',
    ],
  ])('fails before a request is sent if a file has %s', async (_, image, code, words) => {
    const before = api.received.length;
    const { body } = await execute(tenant, toolId, { body: { image } });
    expect(body).toMatchObject({ status: 'failed', error: { code } });
    expect(body.error!.message).toContain(words);
    expect(api.received).toHaveLength(before);
  });

  it('does not send a file of another project', async () => {
    const other = await makeTenant(service);
    const { body: stored } = await upload(other.api, { name: 'a.png', content: PNG, fileContext: 'tool' });
    const { body } = await execute(tenant, toolId, { body: { image: { fileId: stored.fileId } } });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'FORM_INVALID' } });
  });

  it('may have files of 16 MiB in all, and no more', async () => {
    const half = Buffer.alloc(9 * 1024 * 1024, 'a');
    const { body: stored } = await upload(tenant.api, { name: 'large.txt', content: half, fileContext: 'tool' });
    const file = { fileId: stored.fileId };
    expect((await execute(tenant, toolId, { body: { image: file } })).body.status).toBe('completed');
    expect(api.last().bytes.length).toBeGreaterThan(half.length);
    const { body } = await execute(tenant, toolId, { body: { image: file, more: [file] } });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'FORM_TOO_LARGE' } });
  });
});

it('a name cannot add headers to a part', async () => {
  const toolId = await deployed(openApi({}, bodyOf({ type: 'object' }, MULTIPART)));
  const { body } = await execute(tenant, toolId, { body: { 'a"\r\nX-Evil: 1\r\n\r\n': 'b' } });
  expect(body.status).toBe('completed');
  expect(api.last().body).not.toContain('\nX-Evil');
});

it('a body of bytes is sent as a file in the format of the document', async () => {
  const toolId = await deployed(openApi({}, bodyOf(BINARY, 'application/octet-stream')));
  const { body } = await execute(tenant, toolId, { body: { base64: PNG.toString('base64') } });
  expect(body.status).toBe('completed');
  expect(api.last().headers['content-type']).toBe('application/octet-stream');
  expect(api.last().bytes.equals(PNG)).toBe(true);
});

it('a form with files has several parts where the document offers both kinds of form', async () => {
  const content = (schema: object) => ({
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema }, [MULTIPART]: { schema } } },
  });
  const file = await deployed(openApi({}, content({ type: 'object', properties: { a: BINARY } })));
  await execute(tenant, file, { body: { a: { text: 'b' } } });
  expect(api.last().headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  const plain = await deployed(openApi({}, content({ type: 'object', properties: { a: { type: 'string' } } })));
  await execute(tenant, plain, { body: { a: 'b' } });
  expect(api.last()).toMatchObject({ body: 'a=b' });
});

const part = (headers: object) => ({
  requestBody: {
    required: true,
    content: { [MULTIPART]: { schema: { type: 'object', properties: { a: BINARY } }, encoding: { a: { headers } } } },
  },
});

it.each([
  ['a form that is no object', bodyOf(BINARY, MULTIPART), 'needs a form whose schema is not that of an object'],
  [
    'a header of a part',
    part({ 'X-Sum': { required: true, schema: {} } }),
    'needs the header X-Sum in a part of its form',
  ],
  [
    'a file inside of a member',
    bodyOf({ type: 'object', properties: { a: { type: 'object', properties: { b: BINARY } } } }, MULTIPART),
    'has a file inside of the member a of its form',
  ],
])('an operation that needs %s is refused with the reason', async (_, operation, reason) => {
  const job = await importedJob(tenant, openApi({}, operation), { serverUrl: api.url });
  expect(job.error).toEqual({
    code: 'OPENAPI_OPERATION_UNSUPPORTED',
    message: `The operation find ${reason}.`,
  });
});

it('a flow of our own sends a form and a file', async () => {
  const form = { fields: { a: '{{ input.word }}', b: { text: '{{ input.word }}' } }, files: ['b'] };
  const nodes = [{ id: 'call', type: 'http', method: 'POST', url: api.url, multipart: form }];
  const toolId = await deployedTool(tenant, { flow: flowOf(nodes) });
  expect((await execute(tenant, toolId, { word: 'Hello' })).body.status).toBe('completed');
  expect(await partsReceived()).toMatchObject([
    ['a', 'Hello'],
    ['b', { name: 'file' }],
  ]);
});
