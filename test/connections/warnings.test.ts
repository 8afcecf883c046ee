import { administratorOf, makeTenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { BODIES, change, type ConnectionBody, create, KEY, makeConnection, read } from './make.js';

const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const FIELDS = { ...BODIES.API.fields, BASE_URL: `${double.url}/any` };
const UNUSED_PROMPT = {
  path: 'fields.payload',
  message: expect.stringContaining('does not receive what the user says') as string,
};
const ineffective = (member: string) => ({
  path: `fields.${member}`,
  message: expect.stringMatching(/^is stored and has no effect/) as string,
});

function adminPath(connectionId: string): string {
  return `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}`;
}

describe('a payload', () => {
  it.each([
    ['says nothing of the prompt', { question: 'Is it raining?' }],
    ['names another variable', { question: '{{ userPrompt }} {{ system }}' }],
    ['says the word alone', { question: 'prompt, messages {{ "prompt" }} {{ a.prompt }}' }],
    ['does not fill it in', { question: '{% raw %}{{ prompt }}{% endraw %}' }],
  ])('that %s is accepted with a warning', async (_, payload) => {
    const answer = await create(tenant, { provider: 'API', fields: { ...FIELDS, payload } });
    expect(answer.outcome).toBe('201');
    expect(answer.body.warnings).toEqual([UNUSED_PROMPT]);
    expect((await read(tenant, answer.body.connectionId)).body.warnings).toEqual([UNUSED_PROMPT]);
  });

  it.each([
    ['the prompt', { messages: [{ role: 'user', content: 'Say: {{ prompt | strip }}' }] }],
    ['all messages', { messages: '{{ messages }}' }],
    ['the prompt between marks of space', { text: ['{{- prompt -}}'] }],
    ['messages one by one', { text: '{% for each in messages %}{{ each.content }}{% endfor %}' }],
  ])('that has %s is accepted without a warning', async (_, payload) => {
    const { connectionId, ...made } = await makeConnection(tenant, { provider: 'API', fields: { ...FIELDS, payload } });
    expect(made).not.toHaveProperty('warnings');
    expect((await read(tenant, connectionId)).body).not.toHaveProperty('warnings');
  });
});

it('testing and changing the connection warn too, and the endpoint does not receive the prompt', async () => {
  const fields = { ...FIELDS, payload: { question: 'Is it raining?' }, outputPath: 'result.text' };
  const { connectionId } = await makeConnection(tenant, { provider: 'API', fields });
  const admin = administratorOf(service);
  const tested = await admin.post<{ data: object }>(`${adminPath(connectionId)}/test`);
  expect(tested.body.data).toMatchObject({ ok: true, warnings: [UNUSED_PROMPT] });
  expect(double.last.body).toEqual({ question: 'Is it raining?' });
  const changed = await admin.patch<{ data: ConnectionBody }>(adminPath(connectionId), { status: 'INACTIVE' });
  expect(changed.body.data).toMatchObject({ status: 'INACTIVE', warnings: [UNUSED_PROMPT] });
});

it('a payload with its placeholder in a sealed value has no warning', async () => {
  const payload = { password: '{{ prompt }}' };
  const { connectionId } = await makeConnection(tenant, { provider: 'API', fields: { ...FIELDS, payload } });
  expect((await read(tenant, connectionId)).body).not.toHaveProperty('warnings');
});

const TEMPLATE = {
  payload: { question: 'Is it raining?' },
  outputPath: 'result.text',
  inputTokensPath: 'counts.read',
  outputTokensPath: 'counts.written',
  promptVars: [{ name: 'region' }],
};

it.each(Object.entries(TEMPLATE))('a warning says that %s has no effect with mapProvider', async (member, value) => {
  const mapped = { mapProvider: 'vendor1Model', IOMapping: 'textToText', [member]: value };
  const { warnings } = await makeConnection(tenant, { provider: 'API', fields: { ...FIELDS, ...mapped } });
  expect(warnings).toEqual([ineffective(member)]);
});

it.each(['inputTokensPath', 'outputTokensPath', 'promptVars'] as const)(
  'a warning says that %s has no effect with OpenAI’s protocol',
  async (member) => {
    const fields = { ...FIELDS, [member]: TEMPLATE[member] };
    const { warnings } = await makeConnection(tenant, { provider: 'API', fields });
    expect(warnings).toEqual([ineffective(member)]);
  },
);

it('a vendor’s connection has no warnings', async () => {
  const { connectionId, ...made } = await makeConnection(tenant);
  expect(made).not.toHaveProperty('warnings');
  expect((await change(tenant, connectionId, { API_KEY: KEY })).body).not.toHaveProperty('warnings');
});
