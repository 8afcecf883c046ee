import { makeTenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask, COMPLETIONS, connectTo, ledgerOf } from './calls.js';

const double = await ModelDouble.start();
const service = await startService();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const messages = [{ role: 'user', content: 'Hello' }];

it('the ledger row of a call has its observation as eventId', async () => {
  const tenant = await makeTenant(service);
  await ask(tenant, await connectTo(tenant, double));
  const [call] = await ledgerOf(tenant);
  expect(call!.callId).toMatch(/\w/);
  expect(call!.eventId).toBe(call!.callId);
});

it.each([
  ['production', undefined],
  ['staging', 'staging'],
  ['working-copy', 'Working-Copy'],
])('a chat completion is in the environment %s if the header is %s', async (environment, header) => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const headers = { ...(header && { 'x-slipway-environment': header }) };
  expect((await tenant.api.post(COMPLETIONS, { model, messages }, { headers })).outcome).toBe('200');
  expect(await ledgerOf(tenant)).toMatchObject([{ environment, channel: 'api' }]);
  const path = `/api/public/analytics/projects/${tenant.projectId}/llm-ledger`;
  const query = { fromDate: '2020-01-01T00:00:00Z', toDate: '2100-01-01T00:00:00Z', environment };
  const found = await tenant.api.get<{ generations: object[] }>(path, { query });
  expect(found.body.generations).toHaveLength(1);
});

it('an unknown environment is refused with the name of its header, and no model is called', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const headers = { 'x-slipway-environment': 'moon' };
  const { outcome, body } = await tenant.api.post<Refused>(COMPLETIONS, { model, messages }, { headers });
  expect(outcome).toBe('400 VALIDATION_ERROR');
  expect(JSON.stringify(body)).toContain('x-slipway-environment');
  expect(await ledgerOf(tenant)).toEqual([]);
});
