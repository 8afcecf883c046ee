import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// The schemas of connections list the protocols that are loaded.
import '../../src/modules/connections/protocols/protocols.js';
import { namedModel } from '../../src/modules/demo/named-model.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { administratorOf } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const KEY = 'sk-canary-of-the-environment-4711';
const double = await ModelDouble.start();
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-demo-model-'));
const databaseUrl = await createDatabase();
const database = new TestDatabase(databaseUrl);
const SETTINGS = {
  ...settingsFor(databaseUrl),
  SLIPWAY_DEMO: '1',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'trace',
  VENDOR1_BASE_URL: double.url,
  CLOUDVENDOR1_BASE_URL: double.url,
  VENDOR2_BASE_URL: double.url,
};
afterAll(async () => {
  await Promise.all([double.stop(), database.end()]);
  rmSync(dataDir, { recursive: true, force: true });
});

interface Demo {
  projectId: string;
  appId: string;
  agentId: string;
  apiKey: string;
  connectionId?: string;
  model?: string;
}

const file = join(dataDir, 'demo.json');
const readDemo = () => JSON.parse(readFileSync(file, 'utf8')) as Demo;

/** Starts with this environment, says something to the demo's agent, and stops. */
async function answerWith(environment: SettingsOfTest) {
  const service = await startProcess({ ...SETTINGS, ...environment });
  const { appId, agentId, apiKey } = readDemo();
  const path = `/api/v2/apps/${appId}/environments/production/runs`;
  const sessionIdentity = [{ type: 'sessionReference', value: 'me' }];
  const run = await Client.withKey(service, apiKey).post<{ output: { content: string }[] }>(path, {
    sessionIdentity,
    input: 'Is anybody there?',
  });
  const agent = await administratorOf(service).get<{ data: { version: number } }>(
    `/api/admin/v1/apps/${appId}/agents/${agentId}`,
  );
  await service.stop();
  expect(service.output()).not.toContain(KEY);
  return { answer: run.body.output[0]!.content, version: agent.body.data.version };
}

const OPENAI = { OPENAI_API_KEY: KEY };

it('without a key the mock answers, as ever', async () => {
  expect(await answerWith({})).toEqual({ answer: '[mock] You said: Is anybody there?', version: 1 });
  expect(readDemo()).not.toHaveProperty('connectionId');
  expect(double.calls).toEqual([]);
});

it('with a key of OpenAI its model answers, and another start changes nothing', async () => {
  const first = await answerWith(OPENAI);
  expect(first).toEqual({ answer: expect.stringContaining('You said: Is anybody there?') as string, version: 2 });
  expect(first.answer).not.toContain('[mock]');
  expect(double.last).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: 'gpt-4o-mini' },
  });
  const demo = readDemo();
  expect(demo.model).toBe('openai, gpt-4o-mini');
  expect(await answerWith(OPENAI)).toMatchObject({ version: 2 });
  expect(readDemo()).toEqual(demo);
});

it('the key is in no row and no file, and the file of the demo stays private', async () => {
  expect(JSON.stringify(await database.dump())).not.toContain(KEY);
  expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a choice that a user makes later stays, and so does the model after a start without a key', async () => {
  const service = await startProcess({ ...SETTINGS, ...OPENAI });
  const { appId, agentId } = readDemo();
  const admin = administratorOf(service);
  await admin.patch(`/api/admin/v1/apps/${appId}/agents/${agentId}`, { model: 'mock' });
  await admin.put(`/api/admin/v1/apps/${appId}/environments/production`, { agentId, active: true });
  await service.stop();
  expect(await answerWith(OPENAI)).toEqual({ answer: '[mock] You said: Is anybody there?', version: 3 });
  expect(await answerWith({})).toMatchObject({ version: 3 });
});

it.each([
  ['another model', { ...OPENAI, OPENAI_MODEL: 'gpt-5' }, '/v1/chat/completions', 'gpt-5'],
  [
    'another address',
    { ...OPENAI, OPENAI_BASE_URL: `${double.url}/here/v1` },
    '/here/v1/chat/completions',
    'gpt-4o-mini',
  ],
  ['Anthropic', { ANTHROPIC_API_KEY: KEY }, '/v1/messages', 'claude-opus-4-8'],
  ['an Ollama', { OLLAMA_BASE_URL: double.url }, '/v1/chat/completions', 'llama3.2'],
  [
    'Azure',
    {
      AZURE_OPENAI_API_KEY: KEY,
      AZURE_OPENAI_ENDPOINT: 'https://our-models.openai.azure.com/',
      AZURE_OPENAI_DEPLOYMENT: 'main',
    },
    '/openai/deployments/main/chat/completions?api-version=2024-10-21',
    undefined,
  ],
  [
    'an Azure at another address',
    { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_ENDPOINT: `${double.url}/azure/`, AZURE_OPENAI_DEPLOYMENT: 'main' },
    '/azure/openai/deployments/main/chat/completions?api-version=2024-10-21',
    'main',
  ],
] as [string, SettingsOfTest, string, string | undefined][])('changes to %s', async (_, environment, path, model) => {
  const { answer } = await answerWith(environment);
  expect(answer).toContain('Is anybody there?');
  expect(answer).not.toContain('[mock]');
  expect(double.last.path).toBe(path);
  if (model !== undefined) expect(double.last.body.model).toBe(model);
});

describe('if the environment has several', () => {
  const all = {
    OPENAI_API_KEY: KEY,
    ANTHROPIC_API_KEY: KEY,
    AZURE_OPENAI_API_KEY: KEY,
    AZURE_OPENAI_ENDPOINT: 'https://our-models.openai.azure.com',
    AZURE_OPENAI_DEPLOYMENT: 'main',
    OLLAMA_BASE_URL: 'http://127.0.0.1:11434',
  };
  const chosen = (environment: SettingsOfTest) => namedModel(readSettings({ ...SETTINGS, ...environment }))?.provider;

  it('an address is chosen before a key, and the key that fewer shells have before the others', () => {
    const { OLLAMA_BASE_URL: _, ...keys } = all;
    const { AZURE_OPENAI_API_KEY: __, ...two } = keys;
    expect([chosen(all), chosen(keys), chosen(two)]).toEqual(['ollama', 'azure', 'anthropic']);
  });

  it.each(['openai', 'anthropic', 'azure', 'ollama'])('%s is chosen by its name', (name) => {
    expect(chosen({ ...all, SLIPWAY_DEMO_PROVIDER: name })).toBe(name);
  });

  it('none is chosen by the name of the mock', () => {
    expect(chosen({ ...all, SLIPWAY_DEMO_PROVIDER: 'mock' })).toBeUndefined();
  });
});

it.each([
  ['OPENAI_API_KEY', { SLIPWAY_DEMO_PROVIDER: 'openai' }],
  ['OLLAMA_BASE_URL', { SLIPWAY_DEMO_PROVIDER: 'ollama' }],
  ['AZURE_OPENAI_ENDPOINT', { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_DEPLOYMENT: 'main' }],
  ['AZURE_OPENAI_DEPLOYMENT', { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_ENDPOINT: 'https://a.openai.azure.com' }],
])('a start without %s that needs it says so', (name, environment) => {
  const settings = readSettings({ ...SETTINGS, ...environment });
  expect(() => namedModel(settings)).toThrow(`${name} is missing`);
});
