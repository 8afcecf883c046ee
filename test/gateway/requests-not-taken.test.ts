import { makeTenant, type Tenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { ask, connectTo, ledgerOf } from './calls.js';

const double = await ModelDouble.start();
const service = await startService({ VENDOR2_BASE_URL: double.url });
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const REFUSED = '400 MODEL_REQUEST_NOT_TAKEN';
const PICTURE = saying({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } });
const SOUND = saying({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } });

const ANY_JSON = { response_format: { type: 'json_object' } };

function saying(...content: object[]) {
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...content] }] };
}

const CALLED = {
  messages: [
    { role: 'user', content: 'Is it cold?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: '3 degrees' },
    { role: 'user', content: 'And now?' },
  ],
};

/** Sends six requests, because five failures of a provider would open its breaker. */
async function refusesSixTimes(tenant: Tenant, model: string, more: object): Promise<string> {
  const before = double.calls.length;
  const answers = [];
  for (let call = 0; call < 6; call += 1) answers.push(await ask(tenant, model, more));
  expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => REFUSED));
  expect(double.calls.length).toBe(before);
  expect(await ledgerOf(tenant)).toEqual([]);
  return answers[0]!.text;
}

describe('a request that was not sent is not the provider’s fault', () => {
  it.each([
    ['Vendor2', async (tenant: Tenant) => (await makeConnection(tenant, BODIES.Vendor2)).connectionId],
    [
      'API mapped to vendor2Model',
      (tenant: Tenant) =>
        connectTo(tenant, double, '', { mapProvider: 'vendor2Model', IOMappings: ['textToText', 'audioToText'] }),
    ],
  ])('if the protocol of %s cannot express it', async (_, connect) => {
    const tenant = await makeTenant(service);
    const model = await connect(tenant);
    expect(await refusesSixTimes(tenant, model, SOUND)).toContain('audio');
    expect(await refusesSixTimes(tenant, model, ANY_JSON)).toContain('response_format has a schema');
    expect(await refusesSixTimes(tenant, model, { ...ANY_JSON, stream: true })).toContain('JSON');
    expect((await ask(tenant, model)).outcome).toBe('200');
    const json_schema = { name: 'place', schema: { type: 'object', properties: {} } };
    const outcome = (await ask(tenant, model, { response_format: { type: 'json_schema', json_schema } })).outcome;
    expect(outcome).toBe('200');
  });

  it('if the template of the payload takes too long', async () => {
    const tenant = await makeTenant(service);
    const payload = { prompt: '{% for a in (1..9000) %}{% for b in (1..9000) %}{% endfor %}{% endfor %}' };
    const model = await connectTo(tenant, double, '', { payload, endpointUrl: `${double.url}/any` });
    expect((await ask(tenant, model)).outcome).toBe(REFUSED);
    expect(await ledgerOf(tenant)).toEqual([]);
  });

  it.each(['two\r\nx-own: lines', 'ending\n', 'a\u0001b', 'key \u{1F511}'])(
    'if a variable makes a header invalid in a connection that is older than the check: %j',
    async (value) => {
      const tenant = await makeTenant(service);
      const headers = [{ key: 'x-team', value: '{{ team }}' }];
      const model = await connectTo(tenant, double, '', {
        headers,
        customVars: [{ name: 'team', value: 'once-good' }],
      });
      await service.database.rows(
        `update connection set fields_json = replace(fields_json, '"once-good"', $2) where id = $1`,
        [model, JSON.stringify(value)],
      );
      const text = await refusesSixTimes(tenant, model, {});
      expect(text).toContain('cannot be called through this connection');
      expect(text).toContain('the header x-team');
    },
  );
});

describe('a request that a template cannot express is not sent', () => {
  it.each([
    ['an image', PICTURE, undefined, 'does not accept images'],
    ['an image, even if its IOMappings allow it', PICTURE, ['imageToText', 'textToText'], 'does not accept images'],
    ['sound', SOUND, ['audioToText'], 'does not accept audio'],
    ['the result of a tool', CALLED, undefined, 'does not accept calls of tools'],
  ])('if it has %s', async (_, more, IOMappings, reason) => {
    const tenant = await makeTenant(service);
    const described = { payload: { chat: '{{ messages }}' }, outputPath: 'result.text' };
    const model = await connectTo(tenant, double, '', {
      ...described,
      endpointUrl: `${double.url}/any`,
      ...(IOMappings && { IOMappings }),
    });
    expect(await refusesSixTimes(tenant, model, more)).toContain(reason);
  });
});
