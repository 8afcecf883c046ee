import { read } from '../ledger/calls.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aSpan, attributesOf, CHAT, exportOf, sent, tracesOf } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

const ASKED = 'canary-asked';
const ANSWERED = 'canary-answered';
const said = (role: string, text: string) => JSON.stringify([{ role, content: text }]);
const parts = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** The attributes in which each convention sends the prompt and the answer. */
const CONVENTIONS: Record<string, [Record<string, string>, Record<string, string>]> = {
  OpenTelemetry: [
    {
      'gen_ai.input.messages': parts('user', ASKED),
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: ASKED }]),
    },
    { 'gen_ai.output.messages': parts('assistant', ANSWERED) },
  ],
  'OpenTelemetry, of tools': [{ 'gen_ai.tool.call.arguments': ASKED }, { 'gen_ai.tool.call.result': ANSWERED }],
  'OpenTelemetry, as it was': [
    { 'gen_ai.prompt': said('user', ASKED) },
    { 'gen_ai.completion': said('assistant', ANSWERED) },
  ],
  'OpenLLMetry, as it was': [
    { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': ASKED, 'gen_ai.prompt.1234567.content': ASKED },
    { 'gen_ai.completion.0.content': ANSWERED, 'gen_ai.completion.0.tool_calls.0.arguments': ANSWERED },
  ],
  Traceloop: [
    { 'traceloop.entity.input': ASKED, 'traceloop.prompt.template_variables.name': ASKED, 'llm.prompts.0.user': ASKED },
    { 'traceloop.entity.output': ANSWERED, 'llm.completions.0.content': ANSWERED },
  ],
  OpenInference: [
    {
      'input.value': ASKED,
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.text': ASKED,
      'llm.prompt_template.variables': ASKED,
    },
    { 'output.value': ANSWERED, 'llm.output_messages.0.message.content': ANSWERED },
  ],
  'the Vercel AI SDK': [
    { 'ai.prompt': ASKED, 'ai.prompt.messages': said('user', ASKED), 'ai.prompt.system': ASKED },
    { 'ai.response.text': ANSWERED, 'ai.response.reasoning': ANSWERED },
  ],
  'the Vercel AI SDK, of objects': [{ 'ai.prompt': ASKED }, { 'ai.response.object': ANSWERED }],
  'the Vercel AI SDK, of tools': [
    { 'ai.toolCall.args': ASKED },
    { 'ai.response.toolCalls': ANSWERED, 'ai.toolCall.result': ANSWERED },
  ],
};

it.each([
  ['a plain text', 'Hello there', 'Hi'],
  ['one message', '{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hi"}'],
  ['a list of texts', '["Hello","there"]', '["Hi"]'],
  ['JSON that was cut off', '[{"role":"user","content":"Hel', '[{"role":"assistant","content":"H'],
])('%s in place of messages is kept as it was sent', async (_, asked, answered) => {
  const tenant = await makeTenant(service);
  const contents = { 'gen_ai.input.messages': asked, 'gen_ai.output.messages': answered };
  await sent(
    tenant,
    exportOf([
      aSpan({ attributes: { ...CHAT, ...contents } }),
      aSpan({ attributes: { ...contents, 'session.id': 'chat-17' } }),
    ]),
  );
  const observations = (await tracesOf(service, tenant)).map((trace) => trace.observations[0]!);
  expect(observations.map(({ input, output }) => [input, output])).toEqual([
    [asked, answered],
    [asked, answered],
  ]);
  const { body } = await read(tenant, { dataMode: 'full' });
  expect(body.generations[0]!.payload).toEqual({
    request: { model: CHAT['gen_ai.request.model'], messages: [{ role: 'user', content: asked }] },
    response: { text: answered },
  });
});

async function setPolicy({ projectId }: Tenant, payloads: string): Promise<void> {
  const path = `/api/admin/v1/projects/${projectId}/ledger-policy`;
  expect((await administratorOf(service).put(path, { payloads })).outcome).toBe('200');
}

const KEPT = { ...CHAT, 'gen_ai.prompt.name': 'greeting', 'ai.response.finishReason': 'stop' };

/** A span with the texts in its attributes, and with the prompt also in an event. */
const callOf = ([asked, answered]: (typeof CONVENTIONS)[string]) =>
  aSpan({
    attributes: { ...asked, ...answered, ...KEPT },
    events: [{ name: 'gen_ai.content.prompt', attributes: attributesOf(asked) }],
  });

describe.each(Object.entries(CONVENTIONS))('a prompt and an answer with the names of %s', (_, names) => {
  it('are in input and output, and not repeated in attributes', async () => {
    const tenant = await makeTenant(service);
    await sent(tenant, exportOf([callOf(names)]));
    const [trace] = await tracesOf(service, tenant);
    const { input, output, attributes } = trace!.observations[0]!;
    expect(input).toContain(ASKED);
    expect(output).toContain(ANSWERED);
    expect(attributes).toEqual(KEPT);
  });

  it('are stored nowhere if payloads are dropped', async () => {
    const tenant = await makeTenant(service);
    await setPolicy(tenant, 'drop');
    // The text is unique to this test, because other tests have stored theirs.
    const once = `dropped-${tenant.projectId}`;
    const renamed = JSON.parse(JSON.stringify(names).replaceAll('canary', once)) as typeof names;
    await sent(tenant, exportOf([callOf(renamed)]));
    expect((await read(tenant)).body.total).toBe(1);
    expect(await service.database.dump()).not.toContain(once);
  });
});

it.each(['show', 'omit', 'drop'])('texts of spans that contain calls are kept with the policy %s', async (policy) => {
  const tenant = await makeTenant(service);
  await setPolicy(tenant, policy);
  const workflow = { 'traceloop.span.kind': 'workflow', 'session.id': 'chat-17' };
  const attributes = { ...workflow, 'traceloop.entity.input': ASKED, 'traceloop.entity.output': ANSWERED };
  await sent(tenant, exportOf([aSpan({ attributes })]));
  const [trace] = await tracesOf(service, tenant);
  expect(trace!.observations).toMatchObject([{ input: ASKED, output: ANSWERED, attributes: workflow }]);
});
