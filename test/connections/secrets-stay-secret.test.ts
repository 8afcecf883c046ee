import { Redis } from 'ioredis';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { ask } from '../gateway/calls.js';
import { change, CONNECTIONS, create, makeConnection, read } from './make.js';

const CANARY = 'zq7CANARYwx3';
const secret = (name: string) => `sk-${CANARY}-${name}-0123456789`;

const double = await ModelDouble.start();
const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), LOG_LEVEL: 'trace' };
const service = await startProcess({ ...settings, VENDOR1_BASE_URL: double.url, VENDOR2_BASE_URL: double.url });
const database = new TestDatabase(settings.DATABASE_URL!);
const redis = new Redis(settings.REDIS_URL!);
afterAll(async () => {
  redis.disconnect();
  await Promise.all([service.kill(), database.end(), double.stop()]);
});

/** Bodies of connections with a secret in every possible place. */
function secretBodies(): object[] {
  const headers = [{ key: 'x-token', value: secret('header') }];
  const payload = { prompt: '{{ prompt }}', auth: { client_secret: secret('payload') } };
  const fields = {
    BASE_URL: `${double.url}/v1`,
    API_KEY: secret('key'),
    MODEL_NAME: 'llama',
    LLM_API_KEY: secret('llm'),
  };
  const customVars = [{ name: 'access_token', value: secret('variable') }];
  return [
    { provider: 'Vendor1', model: 'gpt-4o', fields: { API_KEY: secret('one') } },
    { provider: 'Vendor2', model: 'claude', modelType: 'EASY_INTEGRATION', fields: { API_KEY: secret('two') } },
    { provider: 'API', fields },
    { provider: 'API', fields, endpointUrl: `${double.url}/any`, headers, payload, customVars, outputPath: 'heard' },
    { provider: 'API', fields: { ...fields, BASE_URL: `${double.url}/html/v1` } },
    // These are refused, and their secrets must not be in the errors.
    { provider: 'Vendor1', fields: { API_KEY: secret('refused') }, unused: secret('unknown') },
    {
      provider: 'API',
      fields: { ...fields, BASE_URL: 'http://10.0.0.1/' },
      headers: [{ key: 'a b', value: secret('bad') }],
    },
  ];
}

async function useAll(tenant: Tenant): Promise<Answer[]> {
  const admin = administratorOf(service);
  const answers: Answer[] = [];
  for (const body of secretBodies()) {
    const created = await create(tenant, body);
    answers.push(created);
    const { connectionId } = created.body;
    if (connectionId === undefined) continue;
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}`;
    answers.push(await read(tenant, connectionId), await change(tenant, connectionId, { API_KEY: secret('new') }));
    answers.push(await ask(tenant, connectionId), await admin.post(`${path}/test`), await admin.get(path));
  }
  answers.push(await tenant.api.get(CONNECTIONS), await admin.get('/api/admin/v1/audit', { query: { limit: '100' } }));
  answers.push(await admin.get('/api/admin/v1/jobs'));
  return answers;
}

it('the search finds a canary that is stored in the clear', async () => {
  const tenant = await makeTenant(service);
  await makeConnection(tenant, { provider: 'Vendor1', model: CANARY, fields: { API_KEY: secret('one') } });
  expect(await database.dump()).toContain(CANARY);
  await database.rows('delete from connection');
  await database.rows(`delete from audit_entry`);
});

it('a connection’s secrets are in no answer, log, table or queue', async () => {
  const answers = await useAll(await makeTenant(service));
  expect(double.calls.some(({ headers }) => JSON.stringify(headers).includes(CANARY))).toBe(true);
  for (const { text, headers } of answers) expect(text + JSON.stringify([...headers])).not.toContain(CANARY);

  const log = await eventually(
    () => service.output(),
    (output) => output.includes(answers.at(-1)!.headers.get('x-request-id')!),
  );
  expect(log).not.toContain(CANARY);
  expect(await database.dump()).not.toContain(CANARY);
  expect(await everythingInRedis()).not.toContain(CANARY);
});

async function everythingInRedis(): Promise<string> {
  const keys = await redis.keys(`*${settings.REDIS_PREFIX}*`);
  expect(keys.length).toBeGreaterThan(0);
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return keys.join('\n') + values.map((value) => value?.toString('latin1')).join('\n');
}
