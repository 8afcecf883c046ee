import { fileURLToPath } from 'node:url';
import { ask, ledgerOf, MODELS } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor } from '../support/settings.js';

const double = await ModelDouble.start();
const service = await startProcess({
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./models.plugin.mjs', import.meta.url)),
  ACME_URL: `${double.url}/v1`,
});
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const modelAsked = () => (double.last.body as { model: string }).model;

it('calls the models of a plugin, and records the calls', async () => {
  const { body } = await ask(tenant, 'acme-small');
  expect(body.choices[0]!.message.content).toBe('You said: Hello');
  expect(modelAsked()).toBe('OtherModels/acme-small');
  expect(await ledgerOf(tenant)).toMatchObject([
    { provider: 'acme', model: 'OtherModels/acme-small', status: 'success', inputTokens: expect.any(Number) as number },
  ]);
});

it('streams their answers', async () => {
  const { text } = await ask(tenant, 'acme-small', { stream: true });
  expect(text).toContain('"finish_reason":"stop"');
});

it('lists them beside the others', async () => {
  const { body } = await tenant.api.get<{ data: { id: string; owned_by: string }[] }>(MODELS);
  expect(body.data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 'mock' }),
      expect.objectContaining({ id: 'acme-small', owned_by: 'acme' }),
    ]),
  );
});

it('lists a name once that two plugins have', async () => {
  const { body } = await tenant.api.get<{ data: { id: string }[] }>(MODELS);
  expect(body.data.filter(({ id }) => id === 'acme-large')).toHaveLength(1);
});

it('refuses what a model does not support, and says why one cannot be called now', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
  expect((await ask(tenant, 'acme-small', { tools })).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
  expect((await ask(tenant, 'acme-asleep')).outcome).toBe('409 ACME_MODEL_ASLEEP');
  expect((await ask(tenant, 'acme-tiny')).outcome).toBe('404 MODEL_NOT_FOUND');
});

it('takes the model of Slipway if a plugin has one of the same name, and of two plugins the first', async () => {
  expect((await ask(tenant, 'mock')).body.choices[0]!.message.content).toBe('[mock] You said: Hello');
  await ask(tenant, 'acme-large');
  expect(modelAsked()).toBe('AcmeModels/acme-large');
});
