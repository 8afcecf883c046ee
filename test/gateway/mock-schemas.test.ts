import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask } from './calls.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const answering = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
});
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const NODE = object({ name: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } });

describe('the mock follows a schema', () => {
  it.each([
    ['of texts', object({ reply: { type: 'string' } })],
    ['of choices', object({ mood: { enum: ['calm', 'cross'] }, kind: { const: null }, old: { type: 'boolean' } })],
    [
      'of texts of a length',
      object({ short: { type: 'string', maxLength: 3 }, long: { type: 'string', minLength: 90 } }),
    ],
    ['of lists', object({ tags: { type: 'array', items: { type: 'string' }, minItems: 3 }, none: { type: 'array' } })],
    ['of lists in order', object({ pair: { prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2 } })],
    [
      'within others',
      object({ order: object({ lines: { type: 'array', minItems: 1, items: object({ n: { type: 'integer' } }) } }) }),
    ],
    [
      'that may be null',
      object({ note: { type: ['string', 'null'] }, other: { anyOf: [{ type: 'null' }, { type: 'string' }] } }),
    ],
    ['that refers to itself', { ...object({ first: { $ref: '#/$defs/node' } }), $defs: { node: NODE } }],
    [
      'of parts',
      {
        allOf: [object({ a: { type: 'string' } }, { additionalProperties: undefined }), { $ref: '#/$defs/b' }],
        $defs: { b: { properties: { b: { type: 'integer' } }, required: ['b'] } },
      },
    ],
    ['that is a list itself', { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2 }],
    ['that is anything', {}],
    ...['date-time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'].map(
      (format): [string, object] => [`of the format ${format}`, object({ it: { type: 'string', format } })],
    ),
    ...[
      { minimum: 5 },
      { exclusiveMinimum: 5 },
      { maximum: -5 },
      { exclusiveMaximum: -5 },
      { minimum: 5, maximum: 6, multipleOf: 3 },
      { minimum: 0.5, maximum: 1.5 },
      { exclusiveMinimum: -3, exclusiveMaximum: -1 },
    ].flatMap((bounds): [string, object][] => [
      [`of numbers with ${JSON.stringify(bounds)}`, object({ it: { type: 'number', ...bounds } })],
      [`of whole numbers with ${JSON.stringify(bounds)}`, object({ it: { type: 'integer', ...bounds } })],
    ]),
  ])('%s', async (_, schema) => {
    const answer = await ask(tenant, 'mock', answering(schema));
    expect(answer.outcome).toBe('200');
    const value = JSON.parse(answer.body.choices[0]!.message.content!) as unknown;
    const isKept = ajv.validate(schema, value);
    expect({ value, errors: isKept ? null : ajv.errors }).toMatchObject({ errors: null });
  });

  it('with its usual answer, if a text may be anything', async () => {
    const { body } = await ask(tenant, 'mock', answering(object({ reply: { type: 'string' } })));
    expect(JSON.parse(body.choices[0]!.message.content!)).toEqual({ reply: '[mock] You said: Hello' });
  });
});

it('the mock answers JSON without a schema with an object of its own', async () => {
  const { body } = await ask(tenant, 'mock', { response_format: { type: 'json_object' } });
  expect(JSON.parse(body.choices[0]!.message.content!)).toEqual({ mock: '[mock] You said: Hello' });
});

it('the mock ignores malformed members of a schema', async () => {
  const odd = { type: 7, required: 'it', properties: null, allOf: {}, anyOf: 'x', enum: {}, items: 3 };
  const { body } = await ask(tenant, 'mock', answering(odd));
  expect(JSON.parse(body.choices[0]!.message.content!)).toEqual({});
});

describe('the mock refuses a schema', () => {
  it.each([
    ['pattern', object({ it: { type: 'string', pattern: '^[a-z]{3}$' } })],
    ['not', object({ it: { not: { type: 'object' } } })],
    ['uniqueItems', object({ it: { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true } })],
    ['its size', object({ it: { type: 'array', minItems: 1_000_000 } })],
    ['its size', { ...object({ it: { $ref: '#' } }) }],
    ['its size', { allOf: [{ $ref: '#' }] }],
    ['$ref', object({ it: { $ref: 'https://example.com/schema' } })],
  ])('that its answer could violate: %s', async (rule, schema) => {
    const { outcome, text } = await ask(tenant, 'mock', answering(schema));
    expect(outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
    expect(text).toContain(rule);
  });
});
