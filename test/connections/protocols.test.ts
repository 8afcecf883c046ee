import { administratorOf, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, MODELS } from '../gateway/calls.js';
import { type ConnectionBody, CONNECTIONS, forgetProtocolOf, makeConnection, read } from './make.js';

interface ProtocolBody {
  provider: string;
  fields: { name: string; kind: string; isRequired: boolean }[];
}

const service = await startService();
afterAll(() => service.stop());

it('lists the protocols with the fields that a form asks for', async () => {
  const { body } = await administratorOf(service).get<{ data: ProtocolBody[] }>('/api/admin/v1/connection-protocols');
  const fieldsOf = (name: string) => body.data.find(({ provider }) => provider === name)!.fields;
  const apiKey = { name: 'API_KEY', label: 'API key', kind: 'secret', isRequired: true, hint: null };
  expect(fieldsOf('Vendor1')).toEqual([apiKey]);
  expect(fieldsOf('CloudVendor1').map(({ name }) => name)).toEqual([
    'API_KEY',
    'api_version',
    'your_resource_name',
    'deployment_id',
  ]);
  expect(fieldsOf('API')).toContainEqual(expect.objectContaining({ name: 'payload', kind: 'json', isRequired: false }));
});

it('shows a connection whose protocol is no longer installed, and does not call it', async () => {
  const tenant = await makeTenant(service);
  const { connectionId } = await makeConnection(tenant);
  await forgetProtocolOf(service, connectionId);
  expect((await read(tenant, connectionId)).body).toMatchObject({
    provider: 'Acme',
    fields: { API_KEY: 'sk********abcd' },
  });
  const { body } = await tenant.api.get<{ connections: ConnectionBody[] }>(CONNECTIONS);
  expect(body.connections).toMatchObject([{ connectionId, provider: 'Acme' }]);
  expect((await ask(tenant, connectionId)).outcome).toBe('409 CONNECTION_PROTOCOL_MISSING');
  expect((await tenant.api.get(MODELS)).text).not.toContain(connectionId);
});
