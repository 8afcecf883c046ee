import { fileURLToPath } from 'node:url';
import { ask, ledgerOf, MODELS } from '../gateway/calls.js';
import { change, create, makeConnection, read } from '../connections/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor } from '../support/settings.js';

const double = await ModelDouble.start();
const service = await startProcess({
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./protocols.plugin.mjs', import.meta.url)),
});
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const PIN = 'canary-0123456789';
const fields = { BASE_URL: `${double.url}/v1`, PIN };
const BODY = { provider: 'Acme', model: 'acme-1', fields };

it('calls the models of a provider that a plugin brings', async () => {
  const { connectionId } = await makeConnection(tenant, { ...BODY, provider: 'acme' });
  const { body } = await ask(tenant, connectionId);
  expect(body.choices[0]!.message.content).toBe('You said: Hello');
  expect(double.last.headers.authorization).toBe(`Bearer ${PIN}`);
  expect(await ledgerOf(tenant)).toMatchObject([{ provider: 'acme-cloud', model: 'acme-1', status: 'success' }]);
  expect((await tenant.api.get(MODELS)).text).toContain('acme-cloud');
});

it('seals the fields that the plugin declares secret', async () => {
  const { connectionId } = await makeConnection(tenant, BODY);
  const { text, body } = await read(tenant, connectionId);
  expect(text).not.toContain(PIN);
  expect(body).toMatchObject({ provider: 'Acme', fields: { BASE_URL: fields.BASE_URL, PIN: 'ca********6789' } });
  const elsewhere = { BASE_URL: 'https://elsewhere.example' };
  expect(await change(tenant, connectionId, elsewhere)).toMatchObject(faultsAt('fields.PIN'));
  expect((await change(tenant, connectionId, { ...elsewhere, PIN: 'another-number-1' })).outcome).toBe('200');
});

it('checks the fields and the address as the plugin describes them', async () => {
  expect(await create(tenant, { ...BODY, fields: {} })).toMatchObject(faultsAt('fields.BASE_URL', 'fields.PIN'));
  const closed = { ...BODY, fields: { ...fields, BASE_URL: 'http://169.254.169.254/' } };
  expect((await create(tenant, closed)).outcome).toBe('400 ADDRESS_NOT_ALLOWED');
});

it('refuses what the protocol does not support, and tests a connection as it says', async () => {
  const { connectionId } = await makeConnection(tenant, BODY);
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
  expect((await ask(tenant, connectionId, { tools })).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
  const gone = await makeConnection(tenant, { ...BODY, model: 'gone' });
  const test = (id: string) =>
    administratorOf(service).post<{ data: object }>(
      `/api/admin/v1/projects/${tenant.projectId}/connections/${id}/test`,
    );
  expect((await test(gone.connectionId)).body.data).toMatchObject({ reason: 'Acme no longer has this model.' });
  expect((await test(connectionId)).body.data).toMatchObject({ ok: true });
});

it('describes the provider in the API and for the form of the console', async () => {
  const document = await fetch(`${service.url}/openapi.json`);
  const { components } = (await document.json()) as { components: { schemas: Record<string, object> } };
  expect(JSON.stringify(components.schemas.CreateConnectionInput)).toContain('"enum":["Acme","acme"]');
  const { body } = await administratorOf(service).get<{ data: object[] }>('/api/admin/v1/connection-protocols');
  expect(body.data).toContainEqual({
    provider: 'Acme',
    title: 'Acme models',
    alsoCalled: ['acme'],
    ledgerName: 'acme-cloud',
    addresses: ['BASE_URL'],
    fields: [
      { name: 'BASE_URL', label: 'Base address', kind: 'text', isRequired: true, hint: null },
      { name: 'PIN', label: 'Number', kind: 'secret', isRequired: true, hint: null },
    ],
  });
});
