import { makeTenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask, connectTo, PROVIDER_KEY } from './calls.js';

/** Endpoints without a known protocol. Requests are templates, and answers are found by paths. */
const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const DESCRIBED = {
  payload: {
    input: '{{ prompt }}',
    chat: '{{ messages }}',
    text: 'For {{ customer }}: {{ system }}',
    limits: { tokens: '{{ maxTokens }}', temperature: '{{temperature}}' },
    stream: '{{ stream }}',
    team: '{{ team }}',
  },
  promptVars: [
    { name: 'prompt', required: true, dataType: 'string', status: true },
    { name: 'customer', defaultValue: 'nobody' },
    { name: 'ignored', defaultValue: 'x', status: false },
  ],
  customVars: [{ name: 'team', value: { id: 7 } }],
  outputPath: 'result.text',
  inputTokensPath: 'counts.read',
  outputTokensPath: "counts['written']",
};
const describedTo = (more: object = {}) =>
  connectTo(tenant, double, '', { ...DESCRIBED, endpointUrl: `${double.url}/any`, ...more });

it('a described endpoint receives its filled template, and its answer is found by its paths', async () => {
  const messages = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Say "hi" {{ API_KEY }}' },
  ];
  const { body } = await ask(tenant, await describedTo(), { messages, max_tokens: 9 });
  expect(double.last.body).toEqual({
    input: 'Say "hi" {{ API_KEY }}',
    chat: messages,
    text: 'For nobody: Be brief',
    limits: { tokens: 9, temperature: '' },
    stream: false,
    team: { id: 7 },
  });
  expect(double.last.headers.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
  expect(body.choices[0]!.message.content).toMatch(/^Echo: /);
  expect(body.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 4 });
});

it('a described endpoint is asked for a stream only if it supports streaming', async () => {
  const streaming = await ask(tenant, await describedTo({ llmFeatures: { streaming: true } }), { stream: true });
  expect(double.last.body.stream).toBe(true);
  for (const piece of ['"One "', '"two "', '"three"']) expect(streaming.text).toContain(`"content":${piece}`);
  const whole = await ask(tenant, await describedTo({ llmFeatures: { streaming: false } }), { stream: true });
  expect(double.last.body.stream).toBe(false);
  expect(whole.text).toContain('Echo: ');
  expect(whole.text.trim()).toMatch(/\[DONE\]$/);
});

it('a prompt variable without a value does not replace a value of the same name, whatever its type', async () => {
  const payload = { model: '{{ model }}', stream: '{{ stream }}', of: '{{ MODEL_NAME }}', team: '{{ team }}' };
  const promptVars = [
    { name: 'model', required: true },
    { name: 'stream', dataType: 'boolean' },
    { name: 'MODEL_NAME', dataType: 'string' },
    { name: 'team', required: true, dataType: 'number' },
    { name: 'count', dataType: 'number' },
    { name: 'isNew', dataType: 'boolean' },
  ];
  const customVars = [...DESCRIBED.customVars, { name: 'temperature', value: 0.25 }];
  const more = { count: 'n={{ count }}', isNew: '{{ isNew }}', temperature: '{{ temperature }}' };
  const model = await describedTo({ payload: { ...payload, ...more }, promptVars, customVars });
  expect((await ask(tenant, model)).outcome).toBe('200');
  const own = { model: 'llama', stream: false, of: 'llama', team: { id: 7 }, temperature: 0.25 };
  expect(double.last.body).toEqual({ ...own, count: 'n=', isNew: '' });
});

it('a described endpoint is asked for JSON unless it does not support structured answers', async () => {
  const asJson = { response_format: { type: 'json_object' } };
  expect((await ask(tenant, await describedTo(), asJson)).outcome).toBe('200');
  expect((await ask(tenant, await describedTo({ llmFeatures: { streaming: true } }), asJson)).outcome).toBe('200');
  const denying = await describedTo({ llmFeatures: { structuredResponse: false } });
  expect((await ask(tenant, denying, asJson)).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
});

it('a described endpoint is not called without a required variable', async () => {
  const model = await describedTo({ promptVars: [{ name: 'region', required: true }] });
  const before = double.calls.length;
  expect(await ask(tenant, model)).toMatchObject({ outcome: '400 MODEL_REQUEST_NOT_TAKEN' });
  expect(double.calls.length).toBe(before);
});

it.each(['result.nothing', 'nothing'])('a call fails if the answer has nothing at %s', async (outputPath) => {
  expect((await ask(tenant, await describedTo({ outputPath }))).outcome).toBe('502 MODEL_CALL_FAILED');
});
