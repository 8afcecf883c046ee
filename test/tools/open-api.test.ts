import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { type DockBody, ended, envOf, execute, toolDocument, TOOLS, uploadJson } from './make.js';
import { bodyOf, deploy, deployed, importedJob, MAKERS, openApi, startApi } from './open-api.js';

const api = await startApi();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  api.stop();
});

interface ImportResponse {
  tools: { toolId: string; operation: string; name: string }[];
  skipped?: { operation: string; reason: string }[];
}

const imported = (document: unknown, more: object = {}) => importedJob(tenant, document, more);
const responseOf = ({ response }: DockBody) => response as unknown as ImportResponse;

it.each(Object.entries(MAKERS))('an operation of %s is sent as its document says', async (_, maker) => {
  const { document, env, input, sent } = maker;
  const more = env && { envVariablesFileId: await uploadJson(tenant, envOf([{ ...env, secret: true }])) };
  const job = await imported(document, { serverUrl: `${api.url}/v1/`, ...more });
  expect(job).toMatchObject({ status: 'SUCCESS' });
  const [tool, ...others] = responseOf(job).tools;
  expect(others).toEqual([]);
  expect(tool!.toolId).toBe(job.toolId);
  await deploy(tenant, tool!.toolId);
  const { body } = await execute(tenant, tool!.toolId, { ...input });
  expect(body).toMatchObject({ status: 'completed', output: { place: 'Oslo' } });
  expect(api.last()).toMatchObject(sent);
  if (env) expect(await service.database.dump()).not.toContain(env.value);
});

describe('headers and cookies', () => {
  const parameter = (place: string, name: string, more: object = {}) => ({
    in: place,
    name,
    schema: { type: 'string' },
    ...more,
  });
  const document = openApi(
    {
      security: [{ session: [], trace: [] }],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'sid' },
          trace: { type: 'apiKey', in: 'header', name: 'X-Trace' },
        },
      },
    },
    {
      parameters: [
        parameter('header', 'X-Tags', { schema: { type: 'array', items: { type: 'string' } } }),
        parameter('header', 'If-Match'),
        parameter('header', 'x-trace'),
        parameter('header', 'Host'),
        parameter('header', 'no header'),
        parameter('cookie', 'theme'),
        parameter('cookie', 'sid', { required: true }),
      ],
    },
  );
  let toolId: string;
  beforeAll(async () => {
    const secrets = ['SESSION', 'TRACE'].map((name) => ({ name, value: `canary-${name}`, secret: true }));
    const env = await uploadJson(tenant, envOf(secrets));
    const job = await imported(document, { serverUrl: api.url, envVariablesFileId: env });
    toolId = responseOf(job).tools[0]!.toolId;
    await deploy(tenant, toolId);
  });

  it.each([
    [{}, { cookie: 'sid=canary-SESSION', 'x-trace': 'canary-TRACE' }],
    [
      { X_Tags: ['a', 'b'], If_Match: '"7"', theme: 'a;b' },
      { 'x-tags': 'a,b', 'if-match': '"7"', cookie: 'theme=a%3Bb; sid=canary-SESSION', 'x-trace': 'canary-TRACE' },
    ],
  ])('are sent if the input %j has them', async (input, headers) => {
    expect((await execute(tenant, toolId, input)).body).toMatchObject({ status: 'completed' });
    expect(api.last().headers).toMatchObject(headers);
    expect(['if-match', 'x-tags'].every((name) => name in api.last().headers === name in headers)).toBe(true);
  });

  it('are no part of the input if they are credentials or of the connection', async () => {
    const { body } = await execute(tenant, toolId, { Host: 'elsewhere', sid: 'another' });
    expect(body).toMatchObject({ error: { code: 'TOOL_INPUT_INVALID' } });
  });

  it.each(['header', 'cookie'])(
    'with a name that HTTP does not allow make the operation unsupported (%s)',
    async (place) => {
      const job = await imported(openApi({}, { parameters: [parameter(place, 'a b', { required: true })] }));
      expect(job.error).toEqual({
        code: 'OPENAPI_OPERATION_UNSUPPORTED',
        message: `The operation find has a ${place} that HTTP does not allow.`,
      });
    },
  );
});

it('a turn of an agent calls an imported operation', async () => {
  const own = await makeTenant(service);
  const toolId = await deployed(own, openApi({ servers: [{ url: api.url }] }, bodyOf({ type: 'object' })));
  await makeActiveAgent(service, own, { toolIds: [toolId] });
  const turn = await say(own, 'order', 'Ask find where it is');
  expect(turn.body).toMatchObject({
    status: 'completed',
    output: [{ content: '[mock] The tool answered: {"place":"Oslo"}' }],
  });
  expect(api.last()).toMatchObject({ method: 'POST', url: '/orders' });
});

const paths = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { operationId: `get${at}` } }]));

describe('operations', () => {
  it('become a tool each, and those that cannot be sent are listed with the reason', async () => {
    const upload = { operationId: 'upload', ...bodyOf({}, 'application/xml') };
    const job = await imported(openApi({ paths: { ...paths(2), '/files': { post: upload } } }));
    const { tools, skipped } = responseOf(job);
    expect(tools.map(({ operation }) => operation)).toEqual(['get0', 'get1']);
    expect(skipped).toEqual([{ operation: 'upload', reason: 'needs a body of the type application/xml' }]);
    const { body } = await tenant.api.get<{ name: string }>(`${TOOLS}/${tools[1]!.toolId}`);
    expect(JSON.stringify(body)).toContain('Orders: get1');
  });

  it('are chosen by their id, or by method and path, from a document with a thousand', async () => {
    const job = await imported(openApi({ paths: paths(1_000) }), { operations: ['get7', 'GET /p999'] });
    expect(responseOf(job).tools.map(({ operation }) => operation)).toEqual(['get7', 'get999']);
  });

  it('of another version are one', async () => {
    const { toolId } = await imported(openApi({ paths: paths(2) }), { operations: ['get0'] });
    const fileId = await uploadJson(tenant, openApi({ paths: paths(2) }), 'api.json');
    const again = async (more: object) => {
      const body = { toolName: 'Orders', toolDataFileId: fileId, flowDataFileId: fileId, ...more };
      return ended(tenant, (await tenant.api.post<DockBody>(`${TOOLS}/${toolId}/import`, body)).body);
    };
    expect((await again({})).error).toMatchObject({ code: 'OPENAPI_TOO_MANY_OPERATIONS' });
    expect(await again({ operations: ['get1'] })).toMatchObject({ status: 'SUCCESS', toolId });
  });

  it('are refused with documents of our own', async () => {
    const [toolDataFileId, flowDataFileId] = [await uploadJson(tenant, toolDocument()), await uploadJson(tenant, {})];
    const body = { toolName: 'Orders', toolDataFileId, flowDataFileId, operations: ['a'], serverUrl: api.url };
    expect(await tenant.api.post(`${TOOLS}/import`, body)).toMatchObject(faultsAt('operations', 'serverUrl'));
  });
});

it.each([
  ['Swagger 2', { swagger: '2.0', paths: {} }, {}, 'OPENAPI_DOCUMENT_INVALID', 'Convert it to OpenAPI 3'],
  ['another document', toolDocument(), {}, 'OPENAPI_DOCUMENT_INVALID', 'has no member `openapi`'],
  ['a version to come', openApi({ openapi: '4.0.0' }), {}, 'OPENAPI_DOCUMENT_INVALID', '4.0.0'],
  ['broken YAML', 'openapi: [', {}, 'OPENAPI_DOCUMENT_INVALID', 'is not YAML'],
  ['no server', openApi({ servers: [] }), {}, 'OPENAPI_DOCUMENT_INVALID', 'serverUrl'],
  [
    'a server with a password',
    openApi({ servers: [{ url: 'https://a:b@c.example' }] }),
    {},
    'OPENAPI_DOCUMENT_INVALID',
    'credentials',
  ],
  [
    'another file',
    openApi({ paths: { '/a': { $ref: './a.yaml' } } }),
    {},
    'OPENAPI_REFERENCE_OUTSIDE',
    'never fetched',
  ],
  [
    'an address',
    openApi({}, bodyOf({ $ref: 'http://127.0.0.1/a.json' })),
    {},
    'OPENAPI_REFERENCE_OUTSIDE',
    'never fetched',
  ],
  [
    'a reference to nothing',
    openApi({}, bodyOf({ $ref: '#/components/x' })),
    {},
    'OPENAPI_DOCUMENT_INVALID',
    '#/components/x',
  ],
  [
    'references in a circle',
    openApi({ paths: { '/a': { $ref: '#/paths/~1a' } } }),
    {},
    'OPENAPI_DOCUMENT_INVALID',
    'lead to one another',
  ],
  ['a thousand operations', openApi({ paths: paths(1_000) }), {}, 'OPENAPI_TOO_MANY_OPERATIONS', 'get0, get1'],
  ['an unknown operation', openApi(), { operations: ['lose'] }, 'OPENAPI_OPERATION_UNKNOWN', 'find'],
  ['a body of XML', openApi({}, bodyOf({}, 'application/xml')), {}, 'OPENAPI_OPERATION_UNSUPPORTED', 'application/xml'],
] as [string, unknown, object, string, string][])('%s is refused', async (_, document, more, code, words) => {
  const job = await imported(document, more);
  expect(job).toMatchObject({ status: 'FAILED', error: { code } });
  expect(job.error!.message).toContain(words);
});

it.each<[string, (address: string) => object]>([
  ['a schema', (address) => openApi({}, bodyOf({ $ref: `${address}/a.json` }))],
  ['a member of a schema', (address) => openApi({}, bodyOf({ properties: { a: { $ref: `${address}/a.json#/b` } } }))],
  ['a part of a form', (address) => openApi({}, bodyOf({ allOf: [{ $ref: `${address}/a` }] }, 'multipart/form-data'))],
  ['a parameter', (address) => openApi({}, { parameters: [{ $ref: `${address}/a.json` }] })],
  ['a body', (address) => openApi({}, { requestBody: { $ref: `${address}/a.json` } })],
  ['a path', (address) => openApi({ paths: { '/a': { $ref: `${address}/a.json` } } })],
  [
    'a security scheme',
    (address) =>
      openApi({ security: [{ key: [] }], components: { securitySchemes: { key: { $ref: `${address}/a.json` } } } }),
  ],
])('a reference to another server is never fetched: %s', async (_, documentAt) => {
  const before = api.received.length;
  const job = await imported(documentAt(api.url));
  expect(job).toMatchObject({ status: 'FAILED', error: { code: 'OPENAPI_REFERENCE_OUTSIDE' } });
  expect(api.received).toHaveLength(before);
});

it('schemas that contain one another are cut off, and the operation can be sent', async () => {
  const schemas = {
    person: {
      type: 'object',
      properties: { name: { type: 'string' }, friend: { $ref: '#/components/schemas/friend' } },
    },
    friend: { allOf: [{ $ref: '#/components/schemas/person' }], properties: { since: { type: 'string' } } },
  };
  for (const type of ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
    const document = openApi({ components: { schemas } }, bodyOf({ $ref: '#/components/schemas/person' }, type));
    const job = await imported(document, { serverUrl: api.url });
    const { toolId } = responseOf(job).tools[0]!;
    await deploy(tenant, toolId);
    const input = { body: { name: 'Ada', friend: { name: 'Bo', since: '1990' } } };
    expect((await execute(tenant, toolId, input)).body.status).toBe('completed');
    expect(api.last().body).toContain('Ada');
  }
});

it('a variable that no security scheme names is refused', async () => {
  const envVariablesFileId = await uploadJson(tenant, envOf([{ name: 'KEY', value: 'x', secret: true }]));
  const job = await imported(openApi(), { envVariablesFileId });
  expect(job.error).toMatchObject({ code: 'ENV_DOCUMENT_INVALID' });
});
