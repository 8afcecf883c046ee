import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openings, RECEIVER } from '../../scripts/launcher/openings.mjs';
import { BODIES, CONNECTIONS } from '../connections/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { flowOf, outcomeOf } from '../tools/make.js';
import { create } from '../webhooks/subscribe.js';

/** The default openings of `npm start`. */
const opened = openings({});
const service = await startService(opened);
const tenant = await makeTenant(service);
/** Another program on this machine, which tenants must not reach. */
const local = createServer((_request, response) => response.end('local'));
await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
const localUrl = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
afterAll(async () => {
  local.close();
  await service.stop();
});

describe('without a word of its owner', () => {
  it('callbacks go to the receiver of the demo, and to nothing else on this machine', async () => {
    expect((await create(service, tenant, { callbackUrl: `http://${RECEIVER}/` })).outcome).toBe('201');
    expect((await create(service, tenant, { callbackUrl: localUrl })).outcome).toBe('400 INVALID_CALLBACK_URL');
  });

  it('connections lead to nothing else on this machine', async () => {
    const body = { ...BODIES.API, connectionName: 'Local', fields: { ...BODIES.API.fields, BASE_URL: localUrl } };
    expect((await tenant.api.post(CONNECTIONS, body)).outcome).toBe('400 ADDRESS_NOT_ALLOWED');
  });

  it.each(['127.0.0.1', 'localhost'])('tools reach nothing else on this machine by the name %s', async (name) => {
    const url = localUrl.replace('127.0.0.1', name);
    const run = await outcomeOf(tenant, { flow: flowOf([{ id: 'get', type: 'http', method: 'GET', url }]) });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'ADDRESS_NOT_ALLOWED' } });
  });
});

describe('a model that the owner names by its address is opened beside the receiver', () => {
  it.each([
    ['http://127.0.0.1:11434', `${RECEIVER},127.0.0.1:11434`],
    ['http://192.168.1.5:8080/v1', `${RECEIVER},192.168.1.5:8080`],
    ['http://localhost:11434', `${RECEIVER},127.0.0.1:11434,[::1]:11434`],
    ['http://[::1]/v1', `${RECEIVER},[::1]:80`],
    ['https://models.example.com/v1', RECEIVER],
    ['nonsense', RECEIVER],
  ])('%s', (address, expected) => {
    expect(openings({ OLLAMA_BASE_URL: address })).toEqual({ OUTBOUND_ALLOW_CIDRS: expected });
    expect(openings({ OPENAI_BASE_URL: address })).toEqual({ OUTBOUND_ALLOW_CIDRS: expected });
    expect(openings({ OLLAMA_BASE_URL: address, HOST: '0.0.0.0' })).toEqual({});
  });
});

describe('the receiver is not opened', () => {
  it.each([
    ['where the owner says what is', { OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8' }],
    ['where the owner says that nothing is', { OUTBOUND_ALLOW_CIDRS: '' }],
    ['where others reach the service', { HOST: '0.0.0.0' }],
    ['where the service itself listens there', { PORT: '3001' }],
  ])('%s', (_, environment) => {
    expect(openings(environment)).toEqual({});
  });
});
