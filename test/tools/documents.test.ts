import { Ajv2020 } from 'ajv/dist/2020.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import {
  envOf,
  exampleParts,
  filesOf,
  flowDocument,
  flowOf,
  importTool,
  type Parts,
  toolDocument,
  TOOLS,
  uploadJson,
  ended,
  type DockBody,
} from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const START = { id: 'start', type: 'start' };
const END = { id: 'end', type: 'end' };
const script = (code: string) => flowOf([{ id: 's', type: 'script', code }]);
const schema = (inputSchema: object): Parts => ({ tool: toolDocument({ inputSchema }) });
const manyProperties = (count: number, more = {}) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', ...more }])),
});
const refs = (levels: number) => ({
  type: 'object',
  properties: { a: { $ref: '#/$defs/l0' } },
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => [
      `l${at}`,
      at === levels - 1 ? {} : { anyOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
    ]),
  ),
});

it.each([
  ['a newer schemaVersion', { tool: { ...toolDocument(), schemaVersion: '2.0' } }, 'SCHEMA_VERSION_UNKNOWN', '"2.0"'],
  ['a newer schemaVersion of the flow', { flow: { schemaVersion: 2 } }, 'SCHEMA_VERSION_UNKNOWN', '2'],
  [
    'a long schemaVersion',
    { flow: { schemaVersion: `${'2'.repeat(38)}😀xyz` } },
    'SCHEMA_VERSION_UNKNOWN',
    `"${'2'.repeat(38)}…`,
  ],
  [
    'names that no database takes',
    { tool: { '\0': { '\0': 1 }, '\ud800': { '\ud800': 1 } } },
    'TOOL_DOCUMENT_INVALID',
    '\ufffd has a member whose name contains',
  ],
  ['no schemaVersion', { flow: { callflows: [] } }, 'FLOW_DOCUMENT_INVALID', 'schemaVersion'],
  ['a list', { tool: [] as never }, 'TOOL_DOCUMENT_INVALID', 'document: must be an object'],
  ['an unknown member', { tool: { ...toolDocument(), colour: 'red' } }, 'TOOL_DOCUMENT_INVALID', 'colour'],
  [
    'a name that models do not take',
    { tool: toolDocument({ name: 'two words' }) },
    'TOOL_DOCUMENT_INVALID',
    'tool.name',
  ],
  [
    'an inputSchema that is not a JSON Schema',
    schema({ type: 'object', properties: { a: { type: 'colour' } } }),
    'TOOL_DOCUMENT_INVALID',
    'inputSchema',
  ],
  ['an inputSchema that is not of the type object', schema({ type: 'string' }), 'TOOL_DOCUMENT_INVALID', 'type object'],
  [
    'an inputSchema that refers elsewhere',
    schema({ type: 'object', properties: { a: { $ref: 'https://example.com/x' } } }),
    'TOOL_DOCUMENT_INVALID',
    'outside',
  ],
  [
    'an inputSchema that refers elsewhere, and whose reference is cut within a character',
    schema({ type: 'object', properties: { a: { $ref: `${'h'.repeat(99)}😀x` } } }),
    'TOOL_DOCUMENT_INVALID',
    'outside',
  ],
  [
    'an inputSchema that refers to itself',
    schema({ type: 'object', properties: { a: { $ref: '#' } } }),
    'TOOL_DOCUMENT_INVALID',
    'itself',
  ],
  ['an inputSchema that multiplies', schema(refs(40)), 'TOOL_DOCUMENT_INVALID', 'more than'],
  ['an inputSchema of very many parts', schema(manyProperties(1_000)), 'TOOL_DOCUMENT_INVALID', 'more than'],
  [
    'patterns that count very high',
    schema(manyProperties(20, { pattern: '^a{1,1000}$' })),
    'TOOL_DOCUMENT_INVALID',
    'patterns',
  ],
  [
    'a filter that evaluates an expression for each item',
    { flow: flowOf([], { end: { output: '{{ input.lines | where_exp: "line", "line.isOpen" }}' } }) },
    'FLOW_DOCUMENT_INVALID',
    'Liquid',
  ],
  [
    'a pattern that no linear engine knows',
    schema({ type: 'object', properties: { a: { pattern: '(a)\\1' } } }),
    'TOOL_DOCUMENT_INVALID',
    'inputSchema',
  ],
  [
    'an unknown node',
    { flow: flowOf([{ id: 'x', type: 'teleport' }]) },
    'FLOW_DOCUMENT_INVALID',
    'callflows.0.nodes.1.type must be one of start, http',
  ],
  [
    'an edge to nowhere',
    { flow: flowDocument([START, END], [{ from: 'start', to: 'nowhere' }]) },
    'FLOW_DOCUMENT_INVALID',
    'callflows.0.edges.0.to leads to nowhere',
  ],
  [
    'an edge from nowhere',
    { flow: flowDocument([START, END], [{ from: 'x', to: 'end' }]) },
    'FLOW_DOCUMENT_INVALID',
    'edges.0.from',
  ],
  [
    'a body for GET, which carries none',
    { flow: flowOf([{ id: 'get', type: 'http', url: 'https://example.com', body: { a: 1 } }]) },
    'FLOW_DOCUMENT_INVALID',
    'callflows.0.nodes.1.body has no effect with GET',
  ],
  [
    'an error edge from a start node, which cannot fail',
    { flow: flowOf([], { edges: [{ from: 'start', to: 'end', when: 'error' }] }) },
    'FLOW_DOCUMENT_INVALID',
    'callflows.0.edges.1.when has no effect',
  ],
  [
    'two starts',
    { flow: flowDocument([START, { ...START, id: 'b' }, END], []) },
    'FLOW_DOCUMENT_INVALID',
    'one start node',
  ],
  [
    'no end',
    { flow: flowDocument([START, { id: 's', type: 'script', code: '1' }], []) },
    'FLOW_DOCUMENT_INVALID',
    'no end node',
  ],
  ['two nodes of one id', { flow: flowDocument([START, END, END], []) }, 'FLOW_DOCUMENT_INVALID', 'another node'],
  ...['__proto__', 'constructor', 'toString'].map((id) => [
    `a node whose id is ${id}`,
    { flow: flowOf([{ id, type: 'script', code: '1' }]) },
    'FLOW_DOCUMENT_INVALID',
    'nodes.1.id is a reserved name of JavaScript',
  ]),
  [
    'a node that nothing leads to',
    { flow: flowOf([], { nodes: [{ id: 'lost', type: 'end' }] }) },
    'FLOW_DOCUMENT_INVALID',
    'lost cannot be reached',
  ],
  [
    'a condition with one way',
    { flow: flowOf([{ id: 'c', type: 'condition', expression: 'input.a' }]) },
    'FLOW_DOCUMENT_INVALID',
    'one for false',
  ],
  [
    'a cycle without an exit',
    {
      flow: flowDocument(
        [START, { id: 'a', type: 'script', code: '1' }, { id: 'b', type: 'script', code: '2' }, END],
        [
          { from: 'start', to: 'a' },
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      ),
    },
    'FLOW_DOCUMENT_INVALID',
    'end',
  ],
  [
    'an invalid template',
    { flow: flowOf([{ id: 'h', type: 'http', url: 'https://example.com/{{ input.a' }]) },
    'FLOW_DOCUMENT_INVALID',
    'Liquid',
  ],
  [
    'an invalid condition',
    { flow: flowOf([{ id: 'c', type: 'condition', expression: 'a %} b' }]) },
    'FLOW_DOCUMENT_INVALID',
    'condition',
  ],
  ...['input.a ==', '== 1', 'and', 'input.a and', 'not', 'input.a > > 1', 'input.a input.b', 'input.a, input.b'].map(
    (expression) => [
      `the condition ${expression}`,
      { flow: flowOf([{ id: 'c', type: 'condition', expression }]) },
      'FLOW_DOCUMENT_INVALID',
      'nodes.1.expression is not a complete condition',
    ],
  ),
  [
    'a wait that is too long',
    { flow: flowOf([{ id: 'w', type: 'wait', timeoutSeconds: 2_592_001 }]) },
    'FLOW_DOCUMENT_INVALID',
    'timeoutSeconds',
  ],
  [
    'a script that does not compile',
    { flow: script('return 1;\nconst = 2;') },
    'SCRIPT_INVALID',
    'callflows.0.nodes.1.code: SyntaxError',
  ],
  ['a script that ends its own function', { flow: script('}, function () {') }, 'SCRIPT_INVALID', 'nodes.1.code'],
  ['a script that ends what it stands in', { flow: script('}); (() => {') }, 'SCRIPT_INVALID', 'nodes.1.code'],
  [
    'two variables of one name',
    {
      env: envOf([
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ]),
    },
    'ENV_DOCUMENT_INVALID',
    'A',
  ],
  [
    'a variable of another type',
    { env: envOf([{ name: 'A', value: 1 }]) },
    'ENV_DOCUMENT_INVALID',
    'variables.0.value',
  ],
] as [string, Parts, string, string][])('fails with %s, and says where', async (_, parts, code, reason) => {
  const job = await importTool(tenant, parts);
  expect(job).toMatchObject({ status: 'FAILED', error: { code } });
  expect(job.error!.message).toContain(reason);
});

it.each([
  ['no JSON', '{"schemaVersion":', 'TOOL_DOCUMENT_INVALID', 'document.env'],
  ['a file that only begins like a ZIP file', 'PK\u0003\u0004 and no more', 'TOOL_DOCUMENT_INVALID', 'document.zip'],
])('fails with %s', async (_, text, code, name) => {
  const body = { toolName: 'A tool', ...(await filesOf(tenant)), toolDataFileId: await uploadJson(tenant, text, name) };
  const { body: started } = await tenant.api.post<DockBody>(`${TOOLS}/import`, body);
  expect(await ended(tenant, started)).toMatchObject({ status: 'FAILED', error: { code } });
});

it('publishes schemas that the examples satisfy, and that refuse other documents', async () => {
  const parts = await exampleParts();
  for (const name of ['tool', 'flow', 'env'] as const) {
    const { body } = await new Client(service.url).get<object>(`/api/public/schemas/tool/${name}.json`);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(body);
    expect([name, validate(parts[name]), validate.errors]).toEqual([name, true, null]);
    expect(validate({ ...parts[name], schemaVersion: '2.0' })).toBe(false);
  }
  expect((await new Client(service.url).get('/api/public/schemas/tool/other')).outcome).toBe('404 SCHEMA_NOT_FOUND');
});

it.each([
  'input.a',
  'not input.a',
  'not not input.a',
  'input.a > 1 and not input.b',
  'input.a == empty or input["a b"].c contains "x"',
  '(1..3) contains input.a',
  'input.contains == -1.5',
  'input.a | size',
  'true',
])('takes the condition %s', async (expression) => {
  const condition = { id: 'c', type: 'condition', expression };
  const flow = flowOf([condition], { edges: [{ from: 'c', to: 'end', when: 'false' }] });
  expect(await importTool(tenant, { flow })).toMatchObject({ status: 'SUCCESS' });
});

it('gives an id to a callflow that has none', async () => {
  const { callflows } = flowOf([]) as { callflows: object[] };
  const flow = { schemaVersion: '1.0', callflows: callflows.map((one) => ({ ...one, id: undefined })) };
  const { toolId } = await importTool(tenant, { flow });
  const { body } = await tenant.api.get<{ callflows: { id: string }[] }>(`${TOOLS}/${toolId}`);
  expect(body.callflows[0]!.id).toMatch(/^cf-\w{22}$/);
});
